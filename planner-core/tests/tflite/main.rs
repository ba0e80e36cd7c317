//! `.tflite` files: of the zoo, of our own, and hostile ones.

mod zoo;

use planner_core::diagnostic::Diagnostics;
use planner_core::import::{Bindings, Options, tflite};
use planner_core::model::Model;
use planner_core::source::Src;

/// The network in `bytes`, read with `bindings`.
fn import_bound(bytes: &[u8], bindings: &Bindings) -> Result<Model, Diagnostics> {
    let is_reserved = |name: &str| matches!(name, "run" | "type");
    tflite::import(bytes, &Options { name: "net", src: Src(7), bindings, is_reserved })
}

/// The network in `bytes`.
fn import(bytes: &[u8]) -> Result<Model, Diagnostics> {
    import_bound(bytes, &Bindings::default())
}

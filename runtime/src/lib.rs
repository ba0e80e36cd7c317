//! Fixed-shape neural networks, compiled at `cargo build` into firmware.
//!
//! [`graph!`] reads a network, plans its memory and becomes a module: the arena's size is a constant,
//! weights lie in flash, and a run is straight-line code in which every address is a constant. There is
//! no heap, no interpreter and no panic.
//!
//! ```
//! waterline::graph! {
//!     /// 8x8 digit classifier.
//!     pub mod digits {
//!         plan { budget = 4 KiB }
//!
//!         input image: f32[1, 8, 8, 1];
//!         param w1: f32[8, 3, 3, 1] = random(1);      // plan before you train;
//!         param b1: f32[8] = zeros;                   // later "digits.safetensors"["conv1.b"]
//!         param w2: f32[10, 128] = random(2);
//!
//!         let h = image.conv2d(w1, b1, stride = 2, padding = same).relu();
//!         output scores = h.flatten().dense(w2).softmax();
//!     }
//! }
//!
//! let mut arena = digits::Arena::new();
//! let mut frame = arena.frame();
//! frame.image()[27] = 1.0;                            // straight into the planned slot
//! let outputs = frame.run();
//! let scores: &[f32; 10] = outputs.scores();
//! assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
//! assert!(digits::ARENA_BYTES <= 4096);
//! ```
//!
//! # What the module holds
//!
//! - `ARENA_BYTES`, `ARENA_ALIGN`, `WEIGHT_BYTES`, `MACS`, `STEPS`, and two bounds to judge the plan by:
//!   `CLASSIC_BOUND_BYTES` (most bytes live at once when buffers are whole and apart) and
//!   `LOWER_BOUND_BYTES` (no plan of this order can need less under the sharing rules in force).
//! - `Arena`, the memory. It is all zero when new, so that a `static` of it lies in `.bss`; a
//!   `ConstStaticCell` of the crate `static_cell` hands it out once. (`StaticCell::init(Arena::new())`
//!   would put the whole arena on the stack first.)
//! - `Frame`, from `arena.frame()`: a method an input, each a reference to the input's place in the arena,
//!   which DMA can fill. `run` consumes the frame, since the bytes of an input are used again after its
//!   last reader; `run_with` shows each step to an [`Observer`]; `steps` gives a `Stepper`, which computes
//!   a step at a time between other work.
//! - `Outputs`: a method an output. It borrows the arena until it is dropped.
//! - `run(&mut arena, &image)`, which copies the inputs in.
//! - `PLAN`, a [`Plan`]: names, offsets, lifetimes, steps, events. Linked only if it is used.
//!
//! # Inputs and outputs
//!
//! ```
//! waterline::graph! {
//!     mod net {
//!         input x: i8[4] q(0.5, -3);                  // real = 0.5 * (stored + 3)
//!         input bias: i8[4] q(0.5, -3) kept;          // a run leaves its bytes as they are
//!         input table: i8[4] q(0.5, -3) borrowed;     // never in the arena, passed by reference
//!         let sum: i8 q(1.0, 0) = add(x, bias);
//!         output y: i8 q(1.0, 0) kept = add(sum, table); // can be read while the next frame is filled
//!     }
//! }
//!
//! let mut arena = net::Arena::new();
//! let table = [net::Frame::TABLE.quantize(1.0); 4];
//! let mut frame = arena.frame(&table);
//! *frame.bias() = [net::Frame::BIAS.quantize(10.0); 4];
//! net::Frame::X.quantize_all(&[0.0, 1.0, 2.0, 3.0], frame.x());
//! let outputs = frame.run();
//! assert_eq!(net::Outputs::Y.dequantize(outputs.y()[3]), 14.0);
//! let frame = arena.frame(&table);
//! assert_eq!(frame.y(), &[11, 12, 13, 14]);
//! ```
//!
//! # When something looks wrong
//!
//! The plan is proved twice, by the planner and by your compiler, and `plan { layout = separate }` shares
//! nothing at all: outputs must not change. A [`Guard`] watches a run for tensors that lose their bytes.
//! With `WATERLINE_REPORT=1` in the environment a build prints a line a network.
//!
//! Harnesses that work with any network use [`Network`], which every `Arena` implements.
#![no_std]
#![deny(missing_docs)]
#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

#[cfg(waterline_arch = "x86")]
extern crate std;

mod arena;
mod guard;
pub mod kernels;
mod network;
mod observer;
pub mod plan;
mod prove;
mod quant;

#[doc(hidden)]
pub mod __private;

pub use guard::{Damage, Guard};
pub use network::{Network, OutputBytes, RunError};
pub use observer::Observer;
pub use plan::{Plan, Step};
pub use quant::Quant;

/// Compiles a network into a module. See the [crate] for what the module holds.
///
/// ```
/// waterline::graph! {
///     /// What it is for; `pub` and attributes go to the module.
///     pub mod net {
///         plan { budget = 1 KiB, order = auto, layout = auto }
///
///         const classes = 3;                              // a size with a name
///         input x: f32[1, 4];
///         param w: f32[classes, 4] = W;                   // a constant of this crate, a file, ..
///         param v[i in 0..2]: f32[4, 4] = random(7 + i);  // .. or placeholders
///
///         fn block(x, w) { relu(dense(x, w)) }            // written out at each call
///         let mut h = x;
///         for i in 0..2 { h = block(h, v[i]); }
///         let logits: f32[1, classes] = h.dense(w);       // a type that is written is checked
///         output scores = logits.softmax();
///     }
/// }
/// const W: [f32; 12] = [0.5; 12];
/// # net::run(&mut net::Arena::new(), &[0.0; 4]).scores();
/// ```
///
/// `f(x, w, name = value)` and `x.f(w, name = value)` are the same call. Images are NHWC, filters OHWI.
/// Errors point at what you wrote and say what would have been right.
#[cfg(not(any(waterline_arch = "dsp", waterline_arch = "mve")))]
#[macro_export]
macro_rules! graph {
    ($($tokens:tt)*) => {
        $crate::__private::graph_impl! { ($crate, portable) $($tokens)* }
    };
}

/// Compiles a network into a module, with kernels for the DSP instructions. See the [crate] for what the module holds.
#[cfg(waterline_arch = "dsp")]
#[macro_export]
macro_rules! graph {
    ($($tokens:tt)*) => {
        $crate::__private::graph_impl! { ($crate, dsp) $($tokens)* }
    };
}

/// Compiles a network into a module, with kernels for vectors. See the [crate] for what the module holds.
#[cfg(waterline_arch = "mve")]
#[macro_export]
macro_rules! graph {
    ($($tokens:tt)*) => {
        $crate::__private::graph_impl! { ($crate, mve) $($tokens)* }
    };
}

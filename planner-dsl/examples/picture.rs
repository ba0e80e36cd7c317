//! Draws the plan of a network that stands in a file of Rust, as SVG.
//!
//! ```sh
//! cargo run -p planner-dsl --example picture -- examples/digits/src/networks.rs int8 > docs/digits.svg
//! ```

use planner_core::report;
use planner_dsl::files::Files;
use planner_dsl::networks::networks;
use planner_dsl::planned;
use proc_macro2::TokenStream;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err("usage: picture FILE.rs NETWORK".into());
    };
    let path = Path::new(&path);
    let source: TokenStream = std::fs::read_to_string(path)?.parse()?;
    let package = path.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).unwrap_or(Path::new("."));
    let mut files = Files::new(package.into()).beside(path.parent().unwrap_or(Path::new(".")).into());
    for network in networks(source) {
        let plan = planned(network, &mut files)?;
        if plan.program.name == name {
            print!("{}", report::svg(&plan));
            return Ok(());
        }
    }
    Err(format!("no network `{name}` in {}", path.display()).into())
}

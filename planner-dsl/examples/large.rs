//! Plans a network of 200 operators once, for `cargo xtask plan-cost`.
//!
//! Residual blocks whose branches part, meet and are kept for long, so that the planner has something to decide.

use planner_core::arch::Arch;
use planner_core::report;
use planner_dsl::files::Files;
use planner_dsl::planned;
use std::error::Error;

const NETWORK: &str = "
pub mod large {
    input image: f32[1, 12, 12, 8];
    param w: f32[8, 3, 3, 8] = random(1);
    param narrow: f32[4, 1, 1, 8] = random(2);

    fn block(x, w, narrow) {
        let main = x.conv2d(w, padding = same).relu().conv2d(w, padding = same);
        let left = x.conv2d(narrow).sigmoid();
        let right = x.conv2d(narrow).tanh();
        let gate = concat(left, right, axis = 3);
        let out = main.mul(gate).add(x);
        out
    }

    let y0 = image;
    BLOCKS
    output y = yLAST;
}
";

const BLOCKS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let blocks: Vec<String> = (0..BLOCKS).map(|i| format!("let y{} = block(y{i}, w, narrow);", i + 1)).collect();
    let network = NETWORK.replace("BLOCKS", &blocks.join("\n")).replace("LAST", &BLOCKS.to_string());
    let plan = planned(network.parse()?, &mut Files::new(".".into()), Arch::Portable)?;
    println!("{}", report::line(&plan));
    Ok(())
}

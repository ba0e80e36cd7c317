//! Plans a graph made by hand: order, sharing and offsets.
//!
//! ```text
//! cargo run -p planner-core --example plan
//! ```

use planner_core::import::graph;
use planner_core::options::Options;
use planner_core::plan::plan;

fn main() -> Result<(), planner_core::diagnostic::Diagnostics> {
    // Name, kind, bytes, `o` for an output, number of sources, sources.
    let net = "image I 3072 - 0
               conv1 N 8192 - 1 image
               relu1 P 8192 - 1 conv1
               pool1 N 2048 - 1 relu1
               skip  N 2048 - 1 image
               sum   P 2048 - 2 pool1 skip
               class N 10   o 1 sum";
    let plan = plan(graph::read(net)?, &Options::default())?;
    println!("{} bytes, no plan of this order needs less than {}", plan.arena_bytes, plan.lower_bound);
    for buffer in &plan.buffers {
        println!("{:>6}  {:>6}  steps {:?}  {}", buffer.offset, buffer.size, buffer.life, buffer.name);
    }
    Ok(())
}

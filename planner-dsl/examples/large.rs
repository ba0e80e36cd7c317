//! Plans a network of 200 operators once, for `cargo xtask plan-cost`: `residual`, as a macro does, or an `irregular` graph.

use planner_core::arch::Arch;
use planner_core::import::graph;
use planner_core::options::Options;
use planner_core::plan::plan;
use planner_core::report;
use planner_dsl::files::Files;
use planner_dsl::planned;
use std::error::Error;

const OPERATORS: usize = 200;

/// Residual blocks whose branches part, meet and are kept for long, so that the planner has something to decide.
fn residual() -> String {
    let network = "pub mod large {
    input image: f32[1, 12, 12, 8];
    fn block(x, w, narrow) {
        let main = x.conv2d(w, padding = same).relu().conv2d(w, padding = same);
        let left = x.conv2d(narrow).sigmoid();
        let right = x.conv2d(narrow).tanh();
        let gate = concat(left, right, axis = 3);
        let out = main.mul(gate).add(x);
        out
    }
    param w: f32[8, 3, 3, 8] = random(1);
    param narrow: f32[4, 1, 1, 8] = random(2);
    let y0 = image;
    "
    .to_owned();
    let blocks = OPERATORS / 10;
    let calls: Vec<String> = (0..blocks).map(|i| format!("let y{} = block(y{i}, w, narrow);", i + 1)).collect();
    network + &calls.join("\n") + &format!("output y = y{blocks}; }}")
}

/// A tangle that nothing divides: every operator reads one to three of the last twenty results, one that no other has
/// read first. A third may be in place.
fn irregular() -> String {
    let mut state = 1_u64;
    let mut below = |limit: usize| {
        // Knuth's MMIX.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let mut graph = "n0 I 4096 - 0\n".to_owned();
    let (mut sizes, mut unread) = (vec![4096], vec![0]);
    for next in 1..OPERATORS {
        let grows = unread.len() < 10;
        let first = if grows { next - 1 - below(next.min(20)) } else { unread[below(unread.len())] };
        let mut sources = vec![first];
        sources.extend((0..below(3)).map(|_| next - 1 - below(next.min(20))));
        sources.sort_unstable();
        sources.dedup();
        let (kind, size) = if below(3) == 0 { ("P", sizes[first]) } else { ("N", 64 * (1 + below(100))) };
        unread.retain(|result| !sources.contains(result));
        unread.push(next);
        sizes.push(size);
        graph += &line(next, kind, size, '-', &sources);
    }
    graph + &line(OPERATORS, "N", 64, 'o', &unread)
}

fn line(node: usize, kind: &str, size: usize, flag: char, sources: &[usize]) -> String {
    let names: Vec<String> = sources.iter().map(|source| format!("n{source}")).collect();
    format!("n{node} {kind} {size} {flag} {} {}\n", names.len(), names.join(" "))
}

fn main() -> Result<(), Box<dyn Error>> {
    let plan = match std::env::args().nth(1).as_deref() {
        Some("residual") => planned(residual().parse()?, &mut Files::new(".".into()), Arch::Portable)?,
        Some("irregular") => plan(graph::read(&irregular())?, &Options::default())?,
        _ => return Err("`residual` or `irregular`".into()),
    };
    println!("{}", report::line(&plan));
    Ok(())
}

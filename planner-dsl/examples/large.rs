//! Plans a network of 200 operators once, for `cargo xtask plan-cost`: `residual` or `shared`, as a macro does, or an
//! `irregular` graph; of the latter two one by its number, or else the first.

use planner_core::arch::Arch;
use planner_core::import::graph;
use planner_core::options::Options;
use planner_core::plan::{Plan, plan};
use planner_core::report;
use planner_dsl::files::Files;
use planner_dsl::planned;
use std::error::Error;
use std::fmt::Write;

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
fn irregular(seed: u64) -> String {
    let mut below = random(seed);
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

/// Numbers below a limit.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |limit| {
        // Knuth's MMIX.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

/// A tangle in which all share: convolutions and pools that may overlap what they read, results in place, slices and
/// splits that are views, concats in place.
fn shared(seed: u64) -> String {
    let mut below = random(seed);
    let mut text = "pub mod large {
    input image: f32[1, 16, 8, 4];
    param w: f32[4, 3, 3, 4] = random(1);
    "
    .to_owned();
    // The rows of each tensor; those that nothing has read.
    let (mut rows, mut unread) = (vec![("image".to_owned(), 16)], vec![0]);
    for next in 0..OPERATORS {
        let recent = rows.len() - rows.len().min(20);
        let first = if unread.len() < 10 { recent + below(rows.len() - recent) } else { unread[below(unread.len())] };
        let (x, h) = rows[first].clone();
        let others: Vec<usize> = (recent..rows.len()).filter(|&other| other != first).collect();
        let like: Vec<usize> = others.iter().copied().filter(|&other| rows[other].1 == h).collect();
        let pick = |from: &[usize], below: &mut dyn FnMut(usize) -> usize| from.get(below(from.len().max(1))).copied();
        let (mut second, mut results) = (None, vec![h]);
        let call = match below(8) {
            0 if h % 2 == 0 => {
                results = vec![h / 2; 2];
                format!("split({x}, parts = 2, axis = 1)")
            }
            1 if h > 4 => {
                let (from, size) = (below(h / 2), h / 2);
                results = vec![size];
                format!("slice({x}, begin = [0, {from}, 0, 0], size = [1, {size}, 8, 4])")
            }
            2 if h > 8 => {
                results = vec![h / 2];
                format!("{x}.max_pool2d(filter = [2, 1])")
            }
            3 => format!("{x}.relu()"),
            4 if !like.is_empty() => {
                second = pick(&like, &mut below);
                format!("{x}.add({})", rows[second.unwrap_or(0)].0)
            }
            5 | 6 if h < 32 && !others.is_empty() => {
                second = pick(&others, &mut below);
                let (y, more) = &rows[second.unwrap_or(0)];
                results = vec![h + more];
                format!("concat({x}, {y}, axis = 1)")
            }
            _ => format!("{x}.conv2d(w, padding = same)"),
        };
        unread.retain(|&result| result != first && Some(result) != second);
        let names: Vec<String> = (0..results.len()).map(|part| format!("y{next}_{part}")).collect();
        let list = if let [one] = names.as_slice() { one.clone() } else { format!("({})", names.join(", ")) };
        let _ = writeln!(text, "let {list} = {call};");
        for (name, h) in names.into_iter().zip(results) {
            unread.push(rows.len());
            rows.push((name, h));
        }
    }
    let ends: Vec<String> = unread.iter().map(|&end| format!("{}.global_avg_pool()", rows[end].0)).collect();
    text + &format!("let y = concat({}, axis = 1); output y; }}", ends.join(", "))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let in_macro = |network: String| -> Result<Plan, Box<dyn Error>> {
        Ok(planned(network.parse()?, &mut Files::new(".".into()), Arch::Portable)?)
    };
    let plan = match name.as_str() {
        "residual" => in_macro(residual())?,
        "shared" => in_macro(shared(seed))?,
        "irregular" => plan(graph::read(&irregular(seed))?, &Options::default())?,
        _ => return Err("`residual`, `shared` or `irregular`".into()),
    };
    println!("{}", report::line(&plan));
    Ok(())
}

//! Public allocation problems, from the folder that `WATERLINE_BENCH` names, or else `planner-bench` beside the one
//! that `WATERLINE_ZOO` names.

use planner_core::import::csv::read;
use planner_core::layout::search::{Instance, Limits, Solution, check, solve};
use planner_core::options::Effort;
use std::path::{Path, PathBuf};

/// The solution of a file, checked; `None` without the folder.
fn solved(file: &str, limits: impl Fn(&Instance) -> Limits, capacity: Option<usize>) -> Option<Solution> {
    let beside = || Some(Path::new(&std::env::var_os("WATERLINE_ZOO")?).parent()?.join("planner-bench"));
    let Some(folder) = std::env::var_os("WATERLINE_BENCH").map(PathBuf::from).or_else(beside) else {
        eprintln!("{file} is skipped: neither WATERLINE_BENCH nor WATERLINE_ZOO is set");
        return None;
    };
    let path = folder.join(file);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let problem = read(&bytes).unwrap();
    let solution = solve(&problem.instance, limits(&problem.instance), capacity);
    assert_eq!(check(&problem.instance, &solution.offsets), Ok(solution.bytes), "{file}");
    println!("{file}: {} bytes, bound {}, {} nodes", solution.bytes, solution.bound, solution.nodes);
    Some(solution)
}

#[test]
fn the_hard_set_fits_into_a_mebibyte() {
    let mut nodes = 0;
    for name in 'A'..='K' {
        let Some(solution) =
            solved(&format!("minimalloc/{name}.1048576.csv"), |instance| Effort::Max.limits(instance), Some(1 << 20))
        else {
            return;
        };
        assert!(solution.bytes <= 1 << 20, "{name}");
        assert_eq!(solution.bound == 1 << 20, !"CDJ".contains(name), "{name}");
        nodes += solution.nodes;
    }
    assert!(nodes < 200_000, "{nodes} nodes");
}

#[test]
fn three_of_the_hard_set_fit_into_less() {
    for (name, nodes, bytes) in [('C', 1_000, 1_039_360), ('D', 200_000, 1_032_192), ('J', 200_000, 1_032_192)] {
        let file = format!("minimalloc/{name}.1048576.csv");
        let Some(solution) = solved(&file, |_| Limits { nodes }, None) else { return };
        assert!(solution.bytes <= bytes, "{name}");
    }
}

#[test]
fn large_traces_reach_their_bounds() {
    for (file, above) in [
        ("idealloc/iopddl/G_1.csv", 0),
        ("idealloc/iopddl/S_1.csv", 200_000),
        ("idealloc/iopddl/Y_1.csv", 0),
        ("idealloc/somas_tensors/pangu_2.6B.csv", 0),
        ("idealloc/somas_tensors/resnet50.csv", 0),
    ] {
        let Some(solution) = solved(file, |instance| Effort::Default.limits(instance), None) else { return };
        assert!(solution.bytes - solution.bound <= above, "{file}");
    }
}

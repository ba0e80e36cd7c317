//! `cargo waterline solve`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn solve(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-waterline")).arg("solve").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_problem_and_its_offsets() {
    let problem = file("problem.csv", "id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,4\nd,9,21,4\ne,0,21,4\n");
    let solved = problem.with_file_name("solved.csv");
    let [problem, solved] = [&problem, &solved].map(|path| path.to_str().unwrap());
    let output = solve(&[problem, "--json", "--output", solved, "--capacity", "12"]);
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).starts_with(r#"{"bytes":12,"bound":12,"gap":0.000000,"proved":true,"nodes":"#));
    // All pinned, it has the same solution.
    assert!(std::fs::read_to_string(solved).unwrap().starts_with("id,lower,upper,size,offset\na,0,3,4,"));
    assert!(stdout(&solve(&[solved])).starts_with("12 bytes, which nothing can beat"));
    let missed = solve(&[problem, "--capacity", "11"]);
    assert_eq!((missed.status.code(), stdout(&missed).ends_with("nothing fits in 11 bytes\n")), (Some(1), true));
}

#[test]
fn a_graph() {
    let graph = file("graph.txt", "x I 100 - 0\na N 800 - 1 x\nb P 800 - 1 a\ny N 12 o 1 b\n");
    let output = solve(&["--graph", graph.to_str().unwrap(), "--effort", "max"]);
    assert!(stdout(&output).starts_with("900 bytes, which nothing can beat"), "{output:?}");
    assert!(stdout(&output).ends_with("peaks: source 900, memory 900, optimal 900\n"), "{output:?}");
}

#[test]
fn what_is_no_problem() {
    let broken = file("broken.csv", "id,lower,upper,size\na,0,x,4\n");
    let output = solve(&[broken.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 2, column 5: not a whole number"));
    assert_eq!(solve(&[]).status.code(), Some(2));
    assert_eq!(solve(&["a.csv", "--effort", "some"]).status.code(), Some(2));
}

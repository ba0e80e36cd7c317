//! Figures as tables.

use std::fmt::Write;

use super::baselines::{self, Baseline};
use super::figures::{Figures, Row};
use crate::boards::BOARDS;
use crate::firmware::PROFILES;
use crate::project;

/// Over the lines for people.
pub(super) const HEADER: &str = "model                               instructions  /MAC ratio   arena    TFLM   bound weights    code ratio stack equal";

/// A line under [`HEADER`].
pub(super) fn line(row: &Row, equal: bool) -> String {
    let name = &row.model;
    match &row.outcome {
        Err(lacks) => format!("{name:35} the board lacks {lacks}"),
        Ok(figures) => {
            let Figures { instructions, macs, arena, bound, weights, code, stack } = figures;
            let (each, ratio, other, smaller) =
                (per(*instructions, *macs), ratio(row), other_arena(name), code_ratio(row));
            format!(
                "{name:35} {instructions:12} {each:>5} {ratio:>5} {arena:7} {other:>7} {bound:7} {weights:7} {code:7} \
                 {smaller:>5} {stack:5} {equal}"
            )
        }
    }
}

/// `a / b` to two places.
#[allow(clippy::cast_precision_loss, reason = "a ratio for people")]
pub(super) fn per(a: u64, b: u64) -> String {
    if b == 0 { "-".to_owned() } else { format!("{:.2}", a as f64 / b as f64) }
}

/// Instructions over TensorFlow Lite Micro's.
pub(super) fn ratio(row: &Row) -> String {
    let baseline = baselines::of(&row.model).and_then(|baseline| comparison(&row.board).instructions(baseline));
    match (&row.outcome, baseline) {
        (Ok(figures), Some(baseline)) => per(figures.instructions, baseline),
        _ => "-".to_owned(),
    }
}

/// Bytes of code over TensorFlow Lite Micro's.
pub(super) fn code_ratio(row: &Row) -> String {
    let baseline = baselines::of(&row.model).and_then(|baseline| baseline.code);
    match (&row.outcome, baseline) {
        (Ok(figures), Some(baseline)) => per(figures.code, baseline),
        _ => "-".to_owned(),
    }
}

/// The kernels that a board is compared with, on a Cortex-M4 unless they are said to be on another.
#[derive(Clone, Copy)]
enum Comparison {
    CmsisNn,
    CmsisNnOnM55,
    Reference,
}

/// Boards without instructions for signals are compared with kernels that use none.
fn comparison(board: &str) -> Comparison {
    match board {
        "mps3-an547" => Comparison::CmsisNnOnM55,
        "mps2-an386" | "mps2-an505" => Comparison::CmsisNn,
        _ => Comparison::Reference,
    }
}

impl Comparison {
    fn instructions(self, baseline: &Baseline) -> Option<u64> {
        match self {
            Self::CmsisNn => Some(baseline.cmsis_nn),
            Self::CmsisNnOnM55 => baseline.vectors,
            Self::Reference => baseline.reference,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::CmsisNn => "TFLM + CMSIS-NN",
            Self::CmsisNnOnM55 => "TFLM + CMSIS-NN on M55",
            Self::Reference => "TFLM's reference",
        }
    }
}

fn other_arena(model: &str) -> String {
    baselines::of(model).and_then(|baseline| baseline.arena).map_or("-".to_owned(), grouped)
}

/// Where the tables of a chore end in the document.
const END: &str = "<!-- End. -->\n";

/// The document with the tables of a chore.
///
/// # Errors
/// It has no place for them.
fn document(text: &str, chore: &str, tables: &str) -> Result<String, String> {
    let begin = format!("<!-- Written by `cargo xtask {chore} --write`. -->\n");
    let (before, rest) = text.split_once(&begin).ok_or("BENCHMARKS.md has no place for the tables")?;
    let (_, after) = rest.split_once(END).ok_or("BENCHMARKS.md does not end the tables")?;
    Ok(format!("{before}{begin}\n{tables}{END}{after}"))
}

/// The tables of `rows`.
fn tables(rows: &[Row]) -> String {
    let mut tables = String::new();
    for board in &BOARDS {
        for (_, opt) in PROFILES {
            let of = |row: &&Row| row.board == board.name && row.opt == opt;
            let of: Vec<&Row> = rows.iter().filter(of).collect();
            if !of.is_empty() {
                let _ = writeln!(tables, "### {} on `{}`, opt-level {opt}\n", board.processor, board.name);
                tables += &markdown(&of, comparison(board.name));
            }
        }
    }
    tables
}

fn markdown(rows: &[&Row], comparison: Comparison) -> String {
    let mut text = format!(
        "| model | instructions | a MAC | of {} | arena | TFLM's | classic bound | weights | code | of TFLM's | stack |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
        comparison.name()
    );
    let mut small = Vec::new();
    for row in rows {
        match &row.outcome {
            Err(lacks) => small.push(format!("{} ({lacks})", row.model)),
            Ok(figures) => {
                let Figures { instructions, macs, arena, bound, weights, code, stack } = figures;
                let (each, ratio, other) = (per(*instructions, *macs), ratio(row), other_arena(&row.model));
                let smaller = code_ratio(row);
                let [instructions, arena, bound, weights, code, stack] =
                    [*instructions, *arena, *bound, *weights, *code, *stack].map(grouped);
                let _ = writeln!(
                    text,
                    "| {} | {instructions} | {each} | {ratio} | {arena} | {other} | {bound} | {weights} | {code} | {smaller} | {stack} |",
                    row.model
                );
            }
        }
    }
    if !small.is_empty() {
        let _ = writeln!(text, "\nThe board lacks room for {}.", small.join(", "));
    }
    text.push('\n');
    text
}

/// Writes the tables of `rows` into `BENCHMARKS.md`.
pub(super) fn write(rows: &[Row]) -> Result<(), String> {
    write_section("bench", &tables(rows))
}

/// Writes the tables of a chore there.
pub(super) fn write_section(chore: &str, tables: &str) -> Result<(), String> {
    let path = project::root().join("BENCHMARKS.md");
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(&path).map_err(failed)?;
    std::fs::write(&path, document(&text, chore, tables)?).map_err(failed)
}

/// `number` with its digits in groups of three.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8_lossy(&groups.join(&b","[..])).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_shows_what_is_committed() {
        let path = project::root().join("BENCHMARKS.md");
        let text = std::fs::read_to_string(path).unwrap();
        let rows = super::super::figures::committed().unwrap();
        assert!(text == document(&text, "bench", &tables(&rows)).unwrap(), "run `cargo xtask bench --write`");
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}

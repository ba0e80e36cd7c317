//! What models took, in a file that is committed.

use std::path::PathBuf;

use crate::project;
use crate::record::Record;

/// One model, built in one way, on one board.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) board: String,
    pub(super) opt: String,
    pub(super) model: String,
    /// The compiler.
    pub(super) rustc: String,
    /// What it took, or what the board lacks.
    pub(super) outcome: Result<Figures, String>,
}

/// Instructions of one inference, and bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) instructions: u64,
    pub(super) macs: u64,
    pub(super) arena: u64,
    /// The most bytes that are live at once when buffers are whole and apart.
    pub(super) bound: u64,
    pub(super) weights: u64,
    /// Code and constants that are neither weights nor samples, those of the board and of printing included.
    pub(super) code: u64,
    pub(super) stack: u64,
}

/// How much more than what is committed is a failure, in percent.
const ALLOWED: u64 = 2;

impl Figures {
    /// What grew by more than is allowed over `committed`.
    pub(super) fn regressions(&self, committed: &Self) -> Vec<String> {
        let pairs = [
            ("instructions", self.instructions, committed.instructions),
            ("bytes of arena", self.arena, committed.arena),
            ("bytes of weights", self.weights, committed.weights),
            ("bytes of code", self.code, committed.code),
            ("bytes of stack", self.stack, committed.stack),
        ];
        let worse = pairs.into_iter().filter(|(_, got, committed)| got * 100 > committed * (100 + ALLOWED));
        worse.map(|(what, got, committed)| format!("{got} {what}, {committed} are committed")).collect()
    }
}

impl Row {
    /// Whether `other` is of the same model, build and board.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        (&self.board, &self.opt, &self.model) == (&other.board, &other.opt, &other.model)
    }

    /// As a line of the file.
    pub(super) fn json(&self) -> String {
        let Self { board, opt, model, rustc, outcome } = self;
        let what = match outcome {
            Ok(Figures { instructions, macs, arena, bound, weights, code, stack }) => format!(
                "\"instructions\":{instructions},\"macs\":{macs},\"arena\":{arena},\"bound\":{bound},\
                 \"weights\":{weights},\"code\":{code},\"stack\":{stack}"
            ),
            Err(lacks) => format!("\"lacks\":\"{lacks}\""),
        };
        format!("{{\"board\":\"{board}\",\"opt\":\"{opt}\",\"model\":\"{model}\",\"rustc\":\"{rustc}\",{what}}}")
    }

    fn parse(record: Record<'_>) -> Result<Self, String> {
        let text = |key| record.text(key).map(str::to_owned);
        let figures = || {
            Ok::<_, String>(Figures {
                instructions: record.number("instructions")?,
                macs: record.number("macs")?,
                arena: record.number("arena")?,
                bound: record.number("bound")?,
                weights: record.number("weights")?,
                code: record.number("code")?,
                stack: record.number("stack")?,
            })
        };
        let outcome = text("lacks").map_or_else(|_| figures().map(Ok), |lacks| Ok(Err(lacks)))?;
        Ok(Self { board: text("board")?, opt: text("opt")?, model: text("model")?, rustc: text("rustc")?, outcome })
    }
}

fn path() -> PathBuf {
    project::root().join("BENCHMARKS.jsonl")
}

/// The committed rows.
pub(super) fn committed() -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(path()).map_err(|error| format!("{}: {error}", path().display()))?;
    Record::all(&text).map(Row::parse).collect()
}

/// Writes the rows, in order of board, build and model.
pub(super) fn write(rows: &mut [Row]) -> Result<(), String> {
    rows.sort_by(|a, b| (&a.board, &a.opt, &a.model).cmp(&(&b.board, &b.opt, &b.model)));
    let lines: String = rows.iter().map(|row| row.json() + "\n").collect();
    std::fs::write(path(), lines).map_err(|error| format!("{}: {error}", path().display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(instructions: u64) -> Row {
        let figures = Figures { instructions, macs: 2, arena: 3, bound: 4, weights: 5, code: 6, stack: 7 };
        let [board, opt, model, rustc] = ["b", "3", "m", "1.0"].map(str::to_owned);
        Row { board, opt, model, rustc, outcome: Ok(figures) }
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let small = Row { outcome: Err("8 bytes of flash".to_owned()), ..row(1) };
        for row in [row(1), small] {
            assert_eq!(Row::parse(Record::all(&row.json()).next().unwrap()), Ok(row));
        }
    }

    #[test]
    fn more_than_two_percent_is_a_regression() {
        let figures = |instructions| row(instructions).outcome.unwrap();
        assert!(figures(1020).regressions(&figures(1000)).is_empty());
        assert_eq!(figures(1021).regressions(&figures(1000)), ["1021 instructions, 1000 are committed"]);
    }
}

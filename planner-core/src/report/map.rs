//! The arena drawn with characters: steps across, addresses up.

use super::grouped;
use super::sheet::{Sheet, Tensor};
use std::fmt::Write;

/// Most rows of the map.
const ROWS: usize = 16;
/// Characters a step.
const WIDTH: usize = 3;
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The arena as a map: each row a stretch of bytes, each column a step, each letter a tensor, `#` scratch.
#[must_use]
pub fn map(plan: impl Into<Sheet>) -> String {
    let sheet = plan.into();
    let steps = sheet.steps.len();
    // The least power of two that needs no more rows than there are.
    let mut bytes = 4;
    while bytes * ROWS < sheet.arena_bytes {
        bytes *= 2;
    }
    let drawn = drawn(&sheet);
    let digits = grouped(sheet.arena_bytes).len();
    let mut text = String::new();
    for row in (0..sheet.arena_bytes.div_ceil(bytes)).rev() {
        let mut cells = String::new();
        for step in 0..steps {
            let letter = owner(&sheet, &drawn, step, row * bytes, (row + 1) * bytes);
            cells.extend(std::iter::repeat_n(letter, WIDTH));
        }
        let _ = writeln!(text, "{:>digits$} |{cells}|", grouped(row * bytes));
    }
    let mut axis = String::new();
    for step in 0..steps {
        let _ = write!(axis, "{step:^WIDTH$}");
    }
    let _ = writeln!(text, "{:>digits$}  {}", "", axis.trim_end());
    text.push('\n');
    for (&tensor, letter) in drawn.iter().zip(LETTERS.iter().cycle()) {
        let tensor = &sheet.tensors[tensor];
        if let Some((bytes, life)) = tensor.slot() {
            let steps = if life.first == life.last {
                format!("step {}", life.first)
            } else {
                format!("steps {} to {}", life.first, life.last)
            };
            let _ = writeln!(
                text,
                "  {} {}: {}, {}..{}, {steps}",
                char::from(*letter),
                tensor.name,
                tensor.ty,
                bytes.start,
                bytes.end
            );
        }
    }
    text
}

/// The tensors that have letters: all in the arena but views of others.
fn drawn(sheet: &Sheet) -> Vec<usize> {
    let is_view = |tensor: &Tensor| match (tensor.slot(), tensor.inside.and_then(|holder| sheet.tensors[holder].slot()))
    {
        (Some((_, life)), Some((_, holder))) => holder.first <= life.first,
        _ => false,
    };
    (0..sheet.tensors.len())
        .filter(|&tensor| sheet.tensors[tensor].slot().is_some() && !is_view(&sheet.tensors[tensor]))
        .collect()
}

/// The letter of what has most of the bytes from `from` to `to` at `step`, of the latest such; `.` if nothing has.
fn owner(sheet: &Sheet, drawn: &[usize], step: usize, from: usize, to: usize) -> char {
    let common = |start: usize, end: usize| end.min(to).saturating_sub(start.max(from));
    let tensors = drawn.iter().zip(LETTERS.iter().cycle()).filter_map(|(&tensor, letter)| {
        let (bytes, _) = sheet.tensors[tensor].slot().filter(|(_, life)| life.first <= step && step <= life.last)?;
        Some((common(bytes.start, bytes.end), char::from(*letter)))
    });
    let scratch = sheet.steps[step].scratch.as_ref().map(|range| (common(range.start, range.end), '#'));
    let most = tensors.chain(scratch).filter(|(bytes, _)| *bytes > 0).max_by_key(|(bytes, _)| *bytes);
    most.map_or('.', |(_, letter)| letter)
}

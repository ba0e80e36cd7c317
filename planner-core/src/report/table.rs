//! The steps with their slots.

use super::sheet::{Place, Sheet, Step};
use super::{grouped, line};
use std::fmt::Write;

/// The plan as a table: a row a step, with the bytes of the arena that it reads, writes and needs.
#[must_use]
pub fn table(plan: impl Into<Sheet>) -> String {
    let sheet = plan.into();
    let header = ["step", "operator", "reads", "writes", "scratch", "MACs"].map(String::from);
    let rows = sheet.steps.iter().enumerate().map(|(index, step)| row(&sheet, index, step));
    let rows: Vec<[String; 6]> = std::iter::once(header).chain(rows).collect();
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = line(sheet.clone()) + "\n";
    let _ = writeln!(text, "order {}, layout {}\n", sheet.order, sheet.layout);
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let numeric = matches!(column, 0 | 5);
            let _ = if numeric { write!(line, "{cell:>width$}  ") } else { write!(line, "{cell:width$}  ") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn row(sheet: &Sheet, index: usize, step: &Step) -> [String; 6] {
    let slots = |tensors: &[usize], written: bool| {
        let slot = |&tensor: &usize| {
            let tensor = &sheet.tensors[tensor];
            match &tensor.place {
                Place::Arena { bytes, .. } => {
                    let over = tensor.ahead.filter(|_| written).map(|read| &sheet.tensors[read].name);
                    let way = if tensor.backward { "backward over" } else { "over" };
                    let over = over.map_or(String::new(), |read| format!(" {way} {read}"));
                    format!("{} {}..{}{over}", tensor.name, bytes.start, bytes.end)
                }
                Place::Borrowed => format!("{} (borrowed)", tensor.name),
                Place::Flash => format!("{} (flash)", tensor.name),
            }
        };
        tensors.iter().map(slot).collect::<Vec<_>>().join(", ")
    };
    let scratch = step.scratch.as_ref().map_or(String::new(), |range| format!("{}..{}", range.start, range.end));
    let op = step.variant.map_or(step.op.clone(), |variant| format!("{} ({variant})", step.op));
    let macs = if step.macs == 0 { String::new() } else { grouped(step.macs) };
    [index.to_string(), op, slots(&step.reads, false), slots(&step.writes, true), scratch, macs]
}

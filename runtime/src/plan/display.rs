//! A plan as text: a table of its steps, a map of its memory.

use super::{Place, Plan, Span, Tensor};
use core::fmt::{self, Write as _};

/// Rows of a memory map.
const ROWS: usize = 16;

/// Letters for tensors on a memory map.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The plan in a few lines, and a line for each step with its slots.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: arena {} B (classic bound {} B, lower bound {} B), weights {} B, {} MACs, {} steps",
            self.name,
            self.arena_bytes,
            self.classic_bound_bytes,
            self.lower_bound_bytes,
            self.weight_bytes,
            self.macs,
            self.steps.len()
        )?;
        if self.placeholder {
            writeln!(f, "some weights are placeholders: the plan is real, the numbers are not")?;
        }
        for input in self.inputs {
            writeln!(f, "      input {}", Slot(self.tensors.get(input.tensor)))?;
        }
        for step in self.steps {
            write!(f, "{:>5} {} =", step.index, step.op)?;
            for index in step.writes {
                write!(f, " {}", Slot(self.tensors.get(*index)))?;
            }
            f.write_str(" <-")?;
            for index in step.reads {
                write!(f, " {}", Slot(self.tensors.get(*index)))?;
            }
            if let Some(scratch) = step.scratch {
                write!(f, " scratch @{scratch}")?;
            }
            f.write_char('\n')?;
        }
        for output in self.outputs {
            writeln!(f, "      output {} = {}", output.name, Slot(self.tensors.get(output.tensor)))?;
        }
        Ok(())
    }
}

/// `h: f32[8] @0..32`
struct Slot(Option<&'static Tensor>);

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(tensor) = self.0 else { return Ok(()) };
        write!(f, "{tensor}")?;
        match (tensor.place, tensor.span()) {
            (Place::Constant { .. }, _) => f.write_str(" in flash"),
            (_, Some(span)) => write!(f, " @{span}"),
            (_, None) => f.write_str(" borrowed"),
        }
    }
}

impl Plan {
    /// The arena as a picture: addresses down, steps across, a letter a tensor.
    #[must_use]
    pub const fn map(&'static self) -> Map {
        Map(self)
    }
}

/// See [`Plan::map`].
#[derive(Clone, Copy, Debug)]
pub struct Map(&'static Plan);

impl Map {
    /// The innermost tensor that owns a byte of `band` during `step`, or `#` for scratch.
    fn cell(self, band: Span, step: usize) -> char {
        let lives = |tensor: &Tensor| tensor.first <= step && step <= tensor.last;
        let tensors = self.0.tensors.iter().zip(LETTERS.iter().cycle());
        let owners = tensors.filter(|(tensor, _)| lives(tensor) && tensor.span().is_some_and(|s| s.overlaps(band)));
        if let Some((_, letter)) = owners.min_by_key(|(tensor, _)| tensor.size) {
            return char::from(*letter);
        }
        let scratch = self.0.steps.get(step).and_then(|step| step.scratch);
        if scratch.is_some_and(|scratch| scratch.overlaps(band)) { '#' } else { '.' }
    }
}

impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let band = self.0.arena_bytes.div_ceil(ROWS).next_multiple_of(4).max(4);
        let mut offset = 0;
        while offset < self.0.arena_bytes {
            let size = band.min(self.0.arena_bytes.saturating_sub(offset));
            write!(f, "{offset:>8} ")?;
            for step in 0..self.0.steps.len() {
                f.write_char(self.cell(Span { offset, size }, step))?;
            }
            f.write_char('\n')?;
            offset = offset.saturating_add(band);
        }
        for (tensor, letter) in self.0.tensors.iter().zip(LETTERS.iter().cycle()) {
            if tensor.span().is_some() {
                writeln!(f, "       {} {}", char::from(*letter), Slot(Some(tensor)))?;
            }
        }
        Ok(())
    }
}

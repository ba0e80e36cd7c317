//! A plan as text: a table of its steps, a map of its memory.

use super::{Place, Plan, Span, Tensor};
use core::fmt::{self, Write as _};

/// Rows of a memory map.
const ROWS: usize = 16;

/// Letters for tensors on a memory map.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The figures, then a row a step: its bytes in the arena, its result, what it reads.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [arena, separate, classic, lower] =
            [self.arena_bytes, self.separate_bytes, self.classic_bound_bytes, self.lower_bound_bytes];
        let [weights, params] = [self.weight_bytes, self.param_bytes];
        write!(f, "{}: arena {arena} B (no reuse {separate} B, ", self.name)?;
        write!(f, "classic bound {classic} B, lower bound {lower} B), ")?;
        write!(f, "weights {weights} B ({params} B in the model), ")?;
        writeln!(f, "{} MACs, {} steps", self.macs, self.steps.len())?;
        if self.placeholder {
            writeln!(f, "some weights are placeholders: the plan is real, the numbers are not")?;
        }
        let width = self.steps.iter().map(|step| step.op.len()).max().unwrap_or(0).max("output".len());
        for input in self.inputs {
            self.row(f, None, "input", width, input.tensor)?;
            f.write_char('\n')?;
        }
        for step in self.steps {
            for result in step.writes {
                self.row(f, Some(step.index), step.op, width, *result)?;
                f.write_str(" <-")?;
                for read in step.reads.iter().filter_map(|index| self.tensors.get(*index)) {
                    write!(f, " {}", read.name)?;
                }
                f.write_char('\n')?;
            }
            if let Some(Span { offset, size }) = step.scratch {
                let end = offset.saturating_add(size);
                writeln!(f, "{:>5}  {:width$} {offset:>8}..{end:<8} scratch", step.index, step.op)?;
            }
        }
        for output in self.outputs {
            self.row(f, None, "output", width, output.tensor)?;
            f.write_char('\n')?;
        }
        Ok(())
    }
}

impl Plan {
    /// `    3  dense       256..266      logits: i8[1, 10]`
    fn row(
        &self,
        f: &mut fmt::Formatter<'_>,
        step: Option<usize>,
        op: &str,
        width: usize,
        tensor: usize,
    ) -> fmt::Result {
        let Some(tensor) = self.tensors.get(tensor) else { return Ok(()) };
        match step {
            Some(step) => write!(f, "{step:>5}  {op:width$} ")?,
            None => write!(f, "{:>5}  {op:width$} ", "")?,
        }
        match (tensor.place, tensor.span()) {
            (_, Some(Span { offset, size })) => write!(f, "{offset:>8}..{:<8}", offset.saturating_add(size))?,
            (Place::Constant { .. }, _) => write!(f, "{:>18}", "in flash")?,
            _ => write!(f, "{:>18}", "borrowed")?,
        }
        write!(f, " {}: {}{:?}", tensor.name, tensor.dtype, tensor.shape)
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
        let meets = |tensor: &Tensor| tensor.piece_from(band.offset).is_some_and(|piece| piece.overlaps(band));
        let owners = tensors.filter(|(tensor, _)| lives(tensor) && meets(tensor));
        if let Some((_, letter)) = owners.min_by_key(|(tensor, _)| tensor.size) {
            return char::from(*letter);
        }
        let scratch = self.0.steps.get(step).and_then(|step| step.scratch);
        if scratch.is_some_and(|scratch| scratch.overlaps(band)) { '#' } else { '.' }
    }
}

impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(plan) = self;
        let band = plan.arena_bytes.div_ceil(ROWS).next_multiple_of(4).max(4);
        let mut offset = 0;
        while offset < plan.arena_bytes {
            let size = band.min(plan.arena_bytes.saturating_sub(offset));
            write!(f, "{offset:>8} ")?;
            for step in 0..plan.steps.len() {
                f.write_char(self.cell(Span { offset, size }, step))?;
            }
            f.write_char('\n')?;
            offset = offset.saturating_add(band);
        }
        for (tensor, letter) in plan.tensors.iter().zip(LETTERS.iter().cycle()) {
            if tensor.span().is_some() {
                writeln!(f, "{:>8} {}: {}{:?}", char::from(*letter), tensor.name, tensor.dtype, tensor.shape)?;
            }
        }
        Ok(())
    }
}

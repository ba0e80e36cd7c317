//! Cycles estimated: the instructions that ran, each with the time that it takes on a Cortex-M4.

use std::ops::AddAssign;
use std::path::Path;

use super::thumb::{Flow, Instruction, REFILL};
use super::trace::{Blocks, trace};
use crate::boards::Board;
use crate::elf::Elf;

/// Bytes of a page of code, at whose end a block of the emulator ends too.
const PAGE: u32 = 1 << 10;

/// What some code takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    pub(super) instructions: u64,
    pub(super) cycles: u64,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.cycles += other.cycles;
    }
}

/// What each of `count` pieces of the program took that it counts by `board::count`.
pub(super) fn costs(board: &Board, path: &Path, count: usize) -> Result<Vec<Cost>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let elf = Elf::read(&bytes)?;
    let (start, bytes) = elf.text()?;
    let code = Code { start, bytes };
    // Each piece is counted after an empty one, between two steps of the timer each.
    let timer = elf.function("board::arch::next_step")?;
    let traces = trace(board, path, timer, 2 * count)?;
    let costs: Result<Vec<Cost>, String> = traces.iter().map(|trace| code.cost_of_all(trace)).collect();
    let piece = |pair: &[Cost]| Cost {
        instructions: pair[1].instructions.saturating_sub(pair[0].instructions),
        cycles: pair[1].cycles.saturating_sub(pair[0].cycles),
    };
    Ok(costs?.chunks_exact(2).map(piece).collect())
}

/// The code of a program.
struct Code<'a> {
    /// The address of its first byte.
    start: u32,
    bytes: &'a [u8],
}

impl Code<'_> {
    fn cost_of_all(&self, blocks: &Blocks) -> Result<Cost, String> {
        let mut sum = Cost::default();
        for ((block, next), times) in blocks {
            let Cost { instructions, cycles } = self.cost(*block, *next)?;
            sum += Cost { instructions: times * instructions, cycles: times * cycles };
        }
        Ok(sum)
    }

    /// From `block` to the first branch, or to `next` if that is entered without one.
    fn cost(&self, block: u32, next: u32) -> Result<Cost, String> {
        let mut at = block;
        let mut cost = Cost::default();
        let mut before_next = None;
        loop {
            let Instruction { len, cycles, flow } = self.instruction(at)?;
            if at == next && at > block {
                // A loop may begin here, but the block did not get to its end.
                if at.is_multiple_of(PAGE) || at / PAGE < (at + len - 1) / PAGE {
                    return Ok(cost);
                }
                before_next = Some(cost);
            }
            at += len;
            cost += Cost { instructions: 1, cycles };
            let taken = match flow {
                Flow::Nothing => continue,
                Flow::To(target) => target == next,
                Flow::Anywhere => before_next.is_none(),
            };
            return match before_next {
                _ if at == next => Ok(cost),
                _ if taken => Ok(Cost { cycles: cost.cycles + REFILL, ..cost }),
                Some(before) => Ok(before),
                None => Err(format!("the code at {block:#x} does not lead to {next:#x}")),
            };
        }
    }

    fn instruction(&self, at: u32) -> Result<Instruction, String> {
        let half = |at: u32| {
            let bytes = self.bytes.get(at.checked_sub(self.start)? as usize..)?.first_chunk()?;
            Some(u16::from_le_bytes(*bytes))
        };
        let first = half(at).ok_or_else(|| format!("there is no code at {at:#x}"))?;
        Ok(Instruction::read(at, first, half(at + 2).unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_at_its_branch_or_where_the_next_is_entered() {
        // ldr r0, [r1, #4]; adds r0, r1, r2; bne to the start; bx lr.
        let bytes: Vec<u8> = [0x6848_u16, 0x1888, 0xd1fc, 0x4770].iter().flat_map(|half| half.to_le_bytes()).collect();
        let code = Code { start: 0x100, bytes: &bytes };
        let cases = [
            (0x100, 0x100, (3, 6)),
            (0x102, 0x100, (2, 4)),
            (0x100, 0x106, (3, 4)),
            (0x100, 0x102, (1, 2)),
            (0x106, 0x400, (1, 3)),
        ];
        for (block, next, (instructions, cycles)) in cases {
            assert_eq!(code.cost(block, next), Ok(Cost { instructions, cycles }), "{block:#x} to {next:#x}");
        }
        // A branch to the second instruction; the emulator begins a block at the page.
        let bytes: Vec<u8> = [0x6848_u16, 0x1888, 0xd1fd].iter().flat_map(|half| half.to_le_bytes()).collect();
        for (start, instructions, cycles) in [(0x100, 3, 6), (0x3fe, 1, 2)] {
            let code = Code { start, bytes: &bytes };
            assert_eq!(code.cost(start, start + 2), Ok(Cost { instructions, cycles }), "{start:#x}");
        }
        assert!(code.cost(0x100, 0x200).is_err());
        assert!(code.cost(0x108, 0x100).is_err());
    }
}

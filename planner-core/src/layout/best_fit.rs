//! In step order: a buffer takes the smallest free block that holds it, and gives it back after its
//! last step; free neighbours become one block.

use super::Problem;
use std::cmp::Reverse;

pub(super) fn solve(problem: &Problem) -> Vec<usize> {
    let buffers = &problem.buffers;
    let mut births: Vec<usize> = (0..buffers.len()).collect();
    births.sort_by_key(|&index| buffers[index].first);
    let mut deaths: Vec<usize> = (0..buffers.len()).collect();
    deaths.sort_by_key(|&index| buffers[index].last);
    let mut deaths = deaths.into_iter().peekable();

    let mut free = FreeList::new();
    let mut offsets = vec![0; buffers.len()];
    for index in births {
        let buffer = &buffers[index];
        while let Some(dead) = deaths.next_if(|&dead| buffers[dead].last < buffer.first) {
            free.give(offsets[dead], buffers[dead].size);
        }
        offsets[index] = free.take(buffer.size, buffer.align);
    }
    offsets
}

/// The free bytes of an arena without end.
struct FreeList {
    /// Blocks by offset, not touching; the last one has no end.
    blocks: Vec<Block>,
}

#[derive(Clone, Copy)]
struct Block {
    start: usize,
    end: usize,
}

impl FreeList {
    fn new() -> Self {
        Self { blocks: vec![Block { start: 0, end: usize::MAX }] }
    }

    /// Takes the smallest block that holds `size` bytes, the highest of those; its offset.
    fn take(&mut self, size: usize, align: usize) -> usize {
        let fits = |block: &Block| block.start.next_multiple_of(align).saturating_add(size) <= block.end;
        let best = self.blocks.iter().enumerate().filter(|(_, block)| fits(block));
        let best = best.min_by_key(|(at, block)| (block.end - block.start, Reverse(*at)));
        let best = best.map_or(self.blocks.len() - 1, |(at, _)| at);
        let block = self.blocks[best];
        let start = block.start.next_multiple_of(align);
        let rest = [Block { start: block.start, end: start }, Block { start: start + size, end: block.end }];
        self.blocks.splice(best..=best, rest.into_iter().filter(|rest| rest.start < rest.end));
        start
    }

    /// Gives `size` bytes at `start` back.
    fn give(&mut self, start: usize, size: usize) {
        let at = self.blocks.partition_point(|block| block.start < start);
        let mut given = Block { start, end: start + size };
        let mut replaced = at..at;
        if at > 0 && self.blocks[at - 1].end == start {
            given.start = self.blocks[at - 1].start;
            replaced.start -= 1;
        }
        if let Some(next) = self.blocks.get(at).filter(|next| next.start == given.end) {
            given.end = next.end;
            replaced.end += 1;
        }
        self.blocks.splice(replaced, [given]);
    }
}

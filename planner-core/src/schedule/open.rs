//! The steps that states may take, the best first.

/// A step that a state may take.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    /// The state.
    pub(super) from: usize,
    /// The index of the step in [`State::ready`](super::part::State::ready).
    pub(super) at: usize,
}

/// Choices by peak, then by rank, then by age: a binary heap, which unoptimised costs a quarter of that of `std`.
#[derive(Default)]
pub(super) struct Open {
    /// Peak, rank and index of each choice as one number; none is above the two at twice its place.
    keys: Vec<u128>,
    choices: Vec<Choice>,
}

impl Open {
    /// Adds a choice; ranks beyond 32 bits are alike.
    pub(super) fn push(&mut self, peak: usize, rank: usize, choice: Choice) {
        let rank = if rank >> 32 == 0 { rank as u128 } else { u128::from(u32::MAX) };
        let key = (peak as u128) << 64 | rank << 32 | self.choices.len() as u128;
        self.choices.push(choice);
        let mut at = self.keys.len();
        self.keys.push(key);
        let keys = self.keys.as_mut_slice();
        while at > 0 && keys[(at - 1) / 2] > key {
            keys[at] = keys[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        keys[at] = key;
    }

    /// The best choice and its peak.
    pub(super) fn pop(&mut self) -> Option<(usize, Choice)> {
        let last = self.keys.pop()?;
        let keys = self.keys.as_mut_slice();
        let mut best = last;
        if !keys.is_empty() {
            best = keys[0];
            let mut at = 0;
            loop {
                let mut next = 2 * at + 1;
                if next + 1 < keys.len() && keys[next + 1] < keys[next] {
                    next += 1;
                }
                if next >= keys.len() || keys[next] > last {
                    break;
                }
                keys[at] = keys[next];
                at = next;
            }
            keys[at] = last;
        }
        #[expect(clippy::cast_possible_truncation, reason = "as they were put there")]
        let (peak, index) = ((best >> 64) as usize, best as u32 as usize);
        Some((peak, self.choices.as_slice()[index]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_first() {
        let mut open = Open::default();
        for index in 0..1000 {
            open.push(index * 7919 % 10, index * 104_729 % 7, Choice { from: index, at: 0 });
        }
        let popped = std::iter::from_fn(|| open.pop());
        let popped: Vec<_> = popped.map(|(peak, choice)| (peak, choice.from * 104_729 % 7, choice.from)).collect();
        assert!(popped.len() == 1000 && popped.is_sorted());
        assert!(popped.iter().all(|(peak, _, from)| *peak == from * 7919 % 10));
    }
}

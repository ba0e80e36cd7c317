//! The sets that were reached, each at its least peak so far.

/// A table of sets, open addressing.
pub(super) struct Seen {
    /// Words of a set.
    words: usize,
    /// All sets, one after the other.
    sets: Vec<u64>,
    peaks: Vec<usize>,
    /// One more than the number of a set; 0 for none.
    slots: Box<[usize]>,
}

impl Seen {
    /// None yet, of `words` words each.
    pub(super) fn new(words: usize) -> Self {
        Self { words, sets: Vec::new(), peaks: Vec::new(), slots: vec![0; 64].into() }
    }

    /// Notes that `set` is reached at `peak`; whether it has not been, at so low a peak.
    pub(super) fn insert(&mut self, set: &[u64], peak: usize) -> bool {
        if 2 * self.peaks.len() >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot(set);
        if let Some(number) = self.slots[slot].checked_sub(1) {
            let least = &mut self.peaks.as_mut_slice()[number];
            return std::mem::replace(least, peak.min(*least)) > peak;
        }
        self.peaks.push(peak);
        self.slots[slot] = self.peaks.len();
        self.sets.extend_from_slice(set);
        true
    }

    /// The slot of `set`, or the empty one where it would be.
    fn slot(&self, set: &[u64]) -> usize {
        let mask = self.slots.len() - 1;
        let mut hash = 0_u64;
        let mut words = set;
        while let [word, rest @ ..] = words {
            // The multiplier of Steele and Vigna for 64 bits: what a low bit changes reaches the high half.
            hash = (hash ^ *word).wrapping_mul(0xd134_2543_de82_ef95);
            hash ^= hash >> 32;
            words = rest;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are as good as any")]
        let mut slot = hash as usize & mask;
        while self.slots[slot] > 0 && self.set(self.slots[slot] - 1) != set {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn set(&self, number: usize) -> &[u64] {
        &self.sets.as_slice()[number * self.words..][..self.words]
    }

    fn grow(&mut self) {
        self.slots = vec![0; 2 * self.slots.len()].into();
        for number in 0..self.peaks.len() {
            let slot = self.slot(self.set(number));
            self.slots[slot] = number + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_once_a_peak() {
        let mut seen = Seen::new(2);
        for (round, peak) in [5, 5, 7, 4, 4].into_iter().enumerate() {
            for set in 0..1000 {
                assert_eq!(seen.insert(&[set % 10, set / 10], peak), round == 0 || round == 3, "{set}");
            }
        }
    }
}

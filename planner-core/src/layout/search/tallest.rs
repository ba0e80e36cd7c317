//! The section with most bytes unplaced: a segment tree, subtract on a range, first maximum of all.

/// Unplaced bytes of every section.
#[derive(Clone)]
pub(super) struct Tallest {
    /// Number of leaves, a power of two.
    leaves: usize,
    /// The largest total below each node, less what is pending above it. The root is node 1.
    most: Vec<usize>,
    /// To subtract from everything below a node.
    pending: Vec<usize>,
}

impl Tallest {
    /// Sections with these totals.
    pub(super) fn new(totals: &[usize]) -> Self {
        let leaves = totals.len().next_power_of_two();
        let mut most = vec![0; 2 * leaves];
        most[leaves..leaves + totals.len()].copy_from_slice(totals);
        for node in (1..leaves).rev() {
            most[node] = most[2 * node].max(most[2 * node + 1]);
        }
        Self { leaves, most, pending: vec![0; leaves] }
    }

    /// The first section with the largest total.
    pub(super) fn first(&self) -> usize {
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            if self.most[node] < self.most[node + 1] {
                node += 1;
            }
        }
        node - self.leaves
    }

    /// Takes `bytes` off the sections `from..to`.
    pub(super) fn subtract(&mut self, from: usize, to: usize, bytes: usize) {
        self.subtract_below(1, 0, self.leaves, from, to, bytes);
    }

    fn subtract_below(&mut self, node: usize, start: usize, end: usize, from: usize, to: usize, bytes: usize) {
        if to <= start || end <= from {
            return;
        }
        if from <= start && end <= to {
            self.most.as_mut_slice()[node] -= bytes;
            if node < self.leaves {
                self.pending.as_mut_slice()[node] += bytes;
            }
            return;
        }
        let middle = usize::midpoint(start, end);
        self.subtract_below(2 * node, start, middle, from, to, bytes);
        self.subtract_below(2 * node + 1, middle, end, from, to, bytes);
        let most = self.most.as_mut_slice();
        let below = if most[2 * node] < most[2 * node + 1] { most[2 * node + 1] } else { most[2 * node] };
        most[node] = below - self.pending.as_slice()[node];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_scan_finds() {
        let mut totals: Vec<usize> = (0..37).map(|section| 1_000 + section * 7919 % 500).collect();
        let mut tree = Tallest::new(&totals);
        for round in 0..200 {
            let most = *totals.iter().max().unwrap();
            let first = totals.iter().position(|&total| total == most).unwrap();
            assert_eq!(tree.first(), first, "round {round}");
            let (from, to) = (first.saturating_sub(round % 5), (first + 1 + round % 7).min(totals.len()));
            let bytes = totals[from..to].iter().min().unwrap().min(&(round * 31 % 90)).to_owned();
            tree.subtract(from, to, bytes);
            totals[from..to].iter_mut().for_each(|total| *total -= bytes);
        }
    }
}

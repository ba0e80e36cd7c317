//! The lowest offset open to each unplaced piece, for any number of pieces.
//!
//! A k-d tree over births and deaths: the pieces that meet a stretch of sections are few of its boxes.
//! Each box knows its lowest floor, so that raising the floors of all pieces that meet a stretch, and
//! finding the lowest of them, touch about as many boxes as lie on the stretch's border.

/// The floor of what is placed.
pub(super) const GONE: usize = usize::MAX / 4;

/// Pieces in a leaf of the tree.
const LEAF: usize = 8;

/// The unplaced pieces by floor, then by rank.
#[derive(Clone)]
pub(super) struct Floors {
    /// Boxes in heap order; the root is node 1.
    nodes: Vec<Node>,
    /// The pieces in the tree's order.
    spots: Vec<Spot>,
    /// Where each piece is among them.
    position: Vec<usize>,
}

/// A piece in the tree.
#[derive(Clone, Copy)]
struct Spot {
    from: u32,
    to: u32,
    rank: u32,
    piece: u32,
    floor: usize,
}

/// A box around some of the pieces.
///
/// Floor, rank and piece are compared as one number, and loops over spots are plain: searches for layouts run in
/// unoptimised macros.
#[derive(Clone, Copy)]
struct Node {
    /// Least and greatest first section, least and greatest end, of the pieces still here.
    from: (u32, u32),
    to: (u32, u32),
    /// The lowest floor.
    least: usize,
    /// The best rank among the pieces at the lowest floor.
    rank: u32,
    /// The piece of that rank.
    piece: u32,
    /// The lowest floor above the lowest.
    second: usize,
    /// What the floors of everything below must be raised to.
    pending: usize,
}

const EMPTY: Node = Node {
    from: (u32::MAX, 0),
    to: (u32::MAX, 0),
    least: GONE,
    rank: u32::MAX,
    piece: u32::MAX,
    second: GONE,
    pending: 0,
};

impl Floors {
    /// All pieces at floor 0, with their sections `from..to`; they have no ranks yet.
    pub(super) fn new(pieces: impl Iterator<Item = (u32, u32)>) -> Self {
        let spot = |(piece, (from, to)): (u32, (u32, u32))| Spot { from, to, rank: 0, piece, floor: 0 };
        let mut spots: Vec<Spot> = (0..).zip(pieces).map(spot).collect();
        let count = spots.len();
        let nodes = vec![EMPTY; 4 * count.div_ceil(LEAF).next_power_of_two()];
        split(&mut spots, true);
        let mut position = vec![0; count];
        for (at, spot) in spots.iter().enumerate() {
            position[spot.piece as usize] = at;
        }
        Self { nodes, spots, position }
    }

    /// Gives each piece, placed or not, its rank.
    pub(super) fn rank(&mut self, rank: impl Fn(usize) -> u32) {
        for spot in &mut self.spots {
            spot.rank = rank(spot.piece as usize);
        }
        self.build(1, 0, self.spots.len());
    }

    /// Removes `piece` before there are ranks.
    pub(super) fn leave_out(&mut self, piece: usize) {
        self.spots[self.position[piece]].floor = GONE;
    }

    fn build(&mut self, node: usize, start: usize, end: usize) {
        if end - start > LEAF {
            let middle = usize::midpoint(start, end);
            self.build(2 * node, start, middle);
            self.build(2 * node + 1, middle, end);
        }
        self.gather(node, start, end);
    }

    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes[1].least == GONE
    }

    /// The piece of lowest floor, then rank, among those that meet the sections `from..to`; with its floor.
    pub(super) fn lowest(&self, from: u32, to: u32) -> Option<(usize, u32)> {
        let mut best = key(GONE, u32::MAX, u32::MAX);
        self.lowest_below(1, (0, self.spots.len()), (from, to), 0, &mut best);
        let (floor, piece) = ((best >> 64) as usize, best as u32);
        (floor < GONE).then_some((floor, piece))
    }

    fn lowest_below(
        &self,
        node: usize,
        (start, end): (usize, usize),
        window: (u32, u32),
        pending: usize,
        best: &mut u128,
    ) {
        let nodes = self.nodes.as_slice();
        let here = &nodes[node];
        if here.least == GONE || !here.meets(window) {
            return;
        }
        let least = if here.least < pending { pending } else { here.least };
        let bound = key(least, here.rank, here.piece);
        if bound >= *best {
            return;
        }
        if here.within(window) {
            *best = bound;
            return;
        }
        let pending = if here.pending < pending { pending } else { here.pending };
        if end - start <= LEAF {
            let mut spots = &self.spots.as_slice()[start..end];
            while let [spot, rest @ ..] = spots {
                if spot.floor < GONE && spot.meets(window) {
                    let floor = if spot.floor < pending { pending } else { spot.floor };
                    let found = key(floor, spot.rank, spot.piece);
                    if found < *best {
                        *best = found;
                    }
                }
                spots = rest;
            }
            return;
        }
        let middle = usize::midpoint(start, end);
        let (left, right) = (&nodes[2 * node], &nodes[2 * node + 1]);
        let is_right = right.least < left.least || right.least == left.least && right.rank < left.rank;
        if is_right {
            self.lowest_below(2 * node + 1, (middle, end), window, pending, best);
        }
        self.lowest_below(2 * node, (start, middle), window, pending, best);
        if !is_right {
            self.lowest_below(2 * node + 1, (middle, end), window, pending, best);
        }
    }

    /// The floor of `piece`.
    pub(super) fn floor(&self, piece: usize) -> usize {
        let at = self.position[piece];
        let (mut node, mut start, mut end) = (1, 0, self.spots.len());
        let mut floor = self.spots[at].floor;
        loop {
            floor = floor.max(self.nodes[node].pending);
            if end - start <= LEAF {
                return floor;
            }
            let middle = usize::midpoint(start, end);
            (node, start, end) = if at < middle { (2 * node, start, middle) } else { (2 * node + 1, middle, end) };
        }
    }

    /// Raises the floors of all pieces that meet the sections `from..to` to at least `floor`.
    pub(super) fn raise(&mut self, from: u32, to: u32, floor: usize) {
        self.raise_below(1, (0, self.spots.len()), (from, to), floor);
    }

    fn raise_below(&mut self, node: usize, (start, end): (usize, usize), window: (u32, u32), floor: usize) {
        let here = &mut self.nodes.as_mut_slice()[node];
        if here.least >= floor || !here.meets(window) {
            return;
        }
        if floor < here.second && here.within(window) {
            here.lift(floor);
            return;
        }
        self.push(node, start, end);
        if end - start <= LEAF {
            let mut spots = &mut self.spots.as_mut_slice()[start..end];
            while let [spot, rest @ ..] = spots {
                if spot.floor < floor && spot.meets(window) {
                    spot.floor = floor;
                }
                spots = rest;
            }
        } else {
            let middle = usize::midpoint(start, end);
            self.raise_below(2 * node, (start, middle), window, floor);
            self.raise_below(2 * node + 1, (middle, end), window, floor);
        }
        self.gather(node, start, end);
    }

    /// Sets the floor of `piece` alone; [`GONE`] removes it.
    pub(super) fn set(&mut self, piece: usize, floor: usize) {
        self.set_below(1, (0, self.spots.len()), self.position[piece], floor);
    }

    fn set_below(&mut self, node: usize, (start, end): (usize, usize), at: usize, floor: usize) {
        self.push(node, start, end);
        if end - start <= LEAF {
            self.spots[at].floor = floor;
        } else {
            let middle = usize::midpoint(start, end);
            if at < middle {
                self.set_below(2 * node, (start, middle), at, floor);
            } else {
                self.set_below(2 * node + 1, (middle, end), at, floor);
            }
        }
        self.gather(node, start, end);
    }

    /// Hands what is pending at `node` to what lies below it.
    fn push(&mut self, node: usize, start: usize, end: usize) {
        let nodes = self.nodes.as_mut_slice();
        let pending = nodes[node].pending;
        if pending == 0 {
            return;
        }
        nodes[node].pending = 0;
        if end - start <= LEAF {
            let mut spots = &mut self.spots.as_mut_slice()[start..end];
            while let [spot, rest @ ..] = spots {
                if spot.floor < pending {
                    spot.floor = pending;
                }
                spots = rest;
            }
        } else {
            nodes[2 * node].lift(pending);
            nodes[2 * node + 1].lift(pending);
        }
    }

    /// Computes a box from what lies below it, where nothing is pending.
    fn gather(&mut self, node: usize, start: usize, end: usize) {
        let mut all = EMPTY;
        let nodes = self.nodes.as_mut_slice();
        if end - start <= LEAF {
            let mut spots = &self.spots.as_slice()[start..end];
            while let [spot, rest @ ..] = spots {
                if spot.floor < GONE {
                    all.include(&spot.alone());
                }
                spots = rest;
            }
        } else {
            all = nodes[2 * node];
            all.include(&nodes[2 * node + 1]);
            all.pending = 0;
        }
        nodes[node] = all;
    }
}

/// What pieces are compared by: their floors, then their ranks.
fn key(floor: usize, rank: u32, piece: u32) -> u128 {
    (floor as u128) << 64 | u128::from(rank) << 32 | u128::from(piece)
}

/// Puts `spots` into the tree's order.
fn split(spots: &mut [Spot], by_birth: bool) {
    if spots.len() <= LEAF {
        return;
    }
    let middle = spots.len() / 2;
    spots.select_nth_unstable_by_key(middle, |spot| (if by_birth { spot.from } else { spot.to }, spot.piece));
    let (left, right) = spots.split_at_mut(middle);
    split(left, !by_birth);
    split(right, !by_birth);
}

impl Spot {
    fn meets(&self, (from, to): (u32, u32)) -> bool {
        self.from < to && from < self.to
    }

    fn alone(&self) -> Node {
        let Self { from, to, rank, piece, floor, .. } = *self;
        Node { from: (from, from), to: (to, to), least: floor, rank, piece, ..EMPTY }
    }
}

impl Node {
    /// Some piece here may meet the window.
    fn meets(&self, (from, to): (u32, u32)) -> bool {
        self.from.0 < to && from < self.to.1
    }

    /// Every piece here meets the window.
    fn within(&self, (from, to): (u32, u32)) -> bool {
        self.from.1 < to && from < self.to.0
    }

    /// Raises the floors here to `floor`, which is below the second lowest; nothing else changes.
    fn lift(&mut self, floor: usize) {
        if self.least < floor {
            self.least = floor;
            self.pending = self.pending.max(floor);
        }
    }

    fn include(&mut self, other: &Self) {
        fn widen(own: &mut (u32, u32), (least, most): (u32, u32)) {
            if least < own.0 {
                own.0 = least;
            }
            if most > own.1 {
                own.1 = most;
            }
        }
        widen(&mut self.from, other.from);
        widen(&mut self.to, other.to);
        // The lowest floor of either that is above the lower lowest.
        let (low, high) = if other.least < self.least { (other, &*self) } else { (&*self, other) };
        let beside = if high.least > low.least { high.least } else { high.second };
        self.second = if low.second < beside { low.second } else { beside };
        if other.least < self.least || other.least == self.least && other.rank < self.rank {
            (self.least, self.rank, self.piece) = (other.least, other.rank, other.piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::search::noise::Noise;

    #[test]
    fn finds_what_a_scan_finds() {
        let mut noise = Noise::new(3);
        let mut random = |below: u32| noise.below(below);
        for count in [1, 7, 9, 64, 301] {
            let pieces: Vec<(u32, u32)> = (0..count).map(|_| (random(60), random(25))).collect();
            let pieces: Vec<(u32, u32)> = pieces.into_iter().map(|(from, length)| (from, from + 1 + length)).collect();
            let rank = |piece: usize| piece as u32 * 7919 % 10_007;
            let mut tree = Floors::new(pieces.iter().copied());
            let mut floors = vec![0; pieces.len()];
            for piece in (0..pieces.len()).skip(1).step_by(5) {
                tree.leave_out(piece);
                floors[piece] = GONE;
            }
            tree.rank(rank);
            while !tree.is_empty() {
                let (from, floor) = (random(60), random(50) as usize * 4);
                let to = from + 1 + random(12);
                let meets = |piece: &(u32, u32)| piece.0 < to && from < piece.1;
                let open = (0..pieces.len()).filter(|&piece| floors[piece] < GONE && meets(&pieces[piece]));
                let scan = open.min_by_key(|&piece| (floors[piece], rank(piece)));
                let found = tree.lowest(from, to);
                assert_eq!(found.map(|(_, piece)| piece as usize), scan);
                if let Some((floor, piece)) = found {
                    assert_eq!((floor, tree.floor(piece as usize)), (floors[piece as usize], floor));
                    if random(2) == 0 {
                        tree.set(piece as usize, GONE);
                        floors[piece as usize] = GONE;
                    }
                }
                tree.raise(from, to, floor);
                for (_, other) in pieces.iter().zip(&mut floors).filter(|(piece, _)| meets(piece)) {
                    *other = floor.max(*other);
                }
                if random(8) == 0 {
                    let piece = random(count) as usize;
                    tree.set(piece, GONE);
                    floors[piece] = GONE;
                }
            }
        }
    }
}

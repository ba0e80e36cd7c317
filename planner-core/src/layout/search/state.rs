//! A partial solution: what is placed, and how low each other item could still be.
//!
//! Everything that follows from a decision is propagated, and everything is undone from a trail.

use super::bounds;
use super::conflicts::Conflicts;
use super::floors::GONE;
use super::items::Items;
use std::ops::Range;

/// A partial solution under a capacity.
///
/// Boxed slices, because indexing a vector is a call where nothing is optimised, as in procedural macros.
pub(super) struct State<'a> {
    pub(super) items: &'a Items,
    pub(super) conflicts: &'a Conflicts,
    /// The height that no item may exceed.
    capacity: usize,
    /// The height that the items of a section may reach when the top one is spaced like the others.
    pub(super) ceilings: Box<[usize]>,
    overhangs: Box<[usize]>,
    /// The lowest offset that each item could have; [`GONE`] once it is placed.
    pub(super) least: Box<[usize]>,
    /// The offsets of what is placed.
    pub(super) offsets: Box<[usize]>,
    /// Bytes of each section's unplaced items.
    pub(super) unplaced: Box<[usize]>,
    /// Number of each section's unplaced items.
    pub(super) waiting: Box<[u32]>,
    /// The lowest of each section's unplaced items.
    pub(super) floors: Box<[usize]>,
    /// An item at that floor, unless it has moved.
    witnesses: Box<[u32]>,
    /// Unplaced items that live on both sides of the border below each section.
    pub(super) crossing: Box<[u32]>,
    /// How often each section was too high, and the root of that.
    pub(super) failures: Box<[u64]>,
    pub(super) roots: Box<[u64]>,
    /// The sections of each item.
    stretches: Box<[Stretch]>,
    placed: Vec<u32>,
    old_least: Vec<(u32, usize)>,
    old_floors: Vec<(u32, usize)>,
}

/// How far to undo.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    placed: usize,
    least: usize,
    floors: usize,
}

impl<'a> State<'a> {
    /// Nothing is placed.
    pub(super) fn new(items: &'a Items, conflicts: &'a Conflicts) -> Self {
        let least: Box<[usize]> =
            (0..items.len()).map(|item| items.rest(item, items.pinned[item].unwrap_or(0))).collect();
        let mut crossing = vec![0; items.sections + 1].into_boxed_slice();
        let stretches: Box<[Stretch]> = (0..items.len()).map(|item| Stretch::of(items, item)).collect();
        for border in stretches.iter().flat_map(|stretch| stretch.borders()) {
            crossing[border] += 1;
        }
        let lowest = |section: usize| {
            let members = conflicts.members.row(section).iter().copied();
            members.min_by_key(|&item| least[item as usize]).unwrap_or(0)
        };
        let witnesses: Box<[u32]> = (0..items.sections).map(lowest).collect();
        Self {
            items,
            conflicts,
            capacity: 0,
            ceilings: Box::default(),
            overhangs: bounds::overhangs(items).into(),
            offsets: vec![0; items.len()].into(),
            unplaced: bounds::weights(items, bounds::weight).into(),
            waiting: (0..items.sections).map(|section| conflicts.members.row(section).len() as u32).collect(),
            floors: witnesses.iter().map(|&item| least[item as usize]).collect(),
            witnesses,
            stretches,
            least,
            crossing,
            failures: Box::default(),
            roots: Box::default(),
            placed: Vec::new(),
            old_least: Vec::new(),
            old_floors: Vec::new(),
        }
    }

    /// Starts over under `capacity`; false if it is certain that nothing fits.
    pub(super) fn restart(&mut self, capacity: usize) -> bool {
        self.undo(Mark { placed: 0, least: 0, floors: 0 });
        self.capacity = capacity;
        self.ceilings = self.overhangs.iter().map(|over| capacity + over).collect();
        self.failures = vec![1; self.items.sections].into();
        self.roots = self.failures.clone();
        (0..self.items.sections).all(|section| self.floors[section] + self.unplaced[section] <= self.ceilings[section])
            && (0..self.items.len()).all(|item| self.least[item] + self.items.size[item] <= capacity)
    }

    /// Bytes that a section could still waste.
    pub(super) fn slack(&self, section: usize) -> usize {
        self.ceilings[section] - self.floors[section] - self.unplaced[section]
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { placed: self.placed.len(), least: self.old_least.len(), floors: self.old_floors.len() }
    }

    /// Puts `item` as low as it can be and all that meet it above it; false if they do not fit any more.
    pub(super) fn place(&mut self, item: usize) -> bool {
        let offset = self.least[item];
        self.offsets[item] = offset;
        self.old_least.push((item as u32, offset));
        self.least[item] = GONE;
        self.placed.push(item as u32);
        self.take(item, true);
        let mut stretch = self.stretches[item];
        let end = offset + self.items.spacing[item];
        let conflicts = self.conflicts;
        let mut fits = true;
        let mut others = conflicts.others.row(item);
        while let [other, rest @ ..] = others {
            if self.least[*other as usize] < end {
                fits &= self.raise(*other as usize, end);
                stretch.include(self.stretches[*other as usize]);
            }
            others = rest;
        }
        for pair in conflicts.pairs.row(item) {
            if self.least[pair.other as usize] < offset + pair.over {
                fits &= self.raise(pair.other as usize, offset + pair.over);
                stretch.include(self.stretches[pair.other as usize]);
            }
        }
        fits && self.lift_floors(stretch)
    }

    /// Forbids `item` the place that it could have. As what is pushed down rests on something, and on nothing that is
    /// placed, it must rest on another item. False if it does not fit there.
    pub(super) fn raise_onto_another(&mut self, item: usize) -> bool {
        let conflicts = self.conflicts;
        let twins = conflicts.twins.row(item);
        let mut lowest = GONE;
        let mut others = conflicts.others.row(item);
        while let [other, rest @ ..] = others {
            let end = self.least[*other as usize] + self.items.spacing[*other as usize];
            if end < lowest && (twins.len() == 1 || !twins.contains(other)) {
                lowest = end;
            }
            others = rest;
        }
        for pair in conflicts.pairs.row(item) {
            lowest = lowest.min(self.least[pair.other as usize] + pair.under);
        }
        if lowest >= GONE {
            return false;
        }
        // What may start at the same offset holds nothing up; elsewhere it has been tried.
        let lowest = lowest.max(self.least[item] + self.items.grain);
        let fits = twins.iter().all(|&twin| self.least[twin as usize] >= lowest || self.raise(twin as usize, lowest));
        fits && self.lift_floors(self.stretches[item])
    }

    /// Raises how low `item` could be; false if it does not fit any more.
    fn raise(&mut self, item: usize, offset: usize) -> bool {
        self.old_least.push((item as u32, self.least[item]));
        self.least[item] = self.items.rest(item, offset);
        self.items.pinned[item].is_none() && self.least[item] + self.items.size[item] <= self.capacity
    }

    /// Raises the floors of the sections in `stretch` to their lowest items; false if one is too high.
    fn lift_floors(&mut self, stretch: Stretch) -> bool {
        let mut section = stretch.from;
        while section < stretch.to {
            let floor = self.floors[section];
            let witness = self.witnesses[section];
            section += 1;
            if self.least[witness as usize] == floor || self.waiting[section - 1] == 0 {
                continue;
            }
            let section = section - 1;
            let (mut least, mut witness) = (GONE, 0);
            let mut members = self.conflicts.members.row(section);
            let leasts = &self.least;
            while let [item, rest @ ..] = members {
                let other = leasts[*item as usize];
                if other < least {
                    (least, witness) = (other, *item);
                    if least <= floor {
                        break;
                    }
                }
                members = rest;
            }
            self.witnesses[section] = witness;
            if least > floor {
                self.old_floors.push((section as u32, floor));
                self.floors[section] = least;
                if least + self.unplaced[section] > self.ceilings[section] {
                    self.failures[section] += 1;
                    let root = self.roots[section] + 1;
                    if root * root <= self.failures[section] {
                        self.roots[section] = root;
                    }
                    return false;
                }
            }
        }
        true
    }

    /// Returns to `mark`.
    pub(super) fn undo(&mut self, mark: Mark) {
        for (item, least) in self.old_least.drain(mark.least..).rev() {
            self.least[item as usize] = least;
        }
        for (section, floor) in self.old_floors.drain(mark.floors..).rev() {
            self.floors[section as usize] = floor;
        }
        while self.placed.len() > mark.placed {
            if let Some(item) = self.placed.pop() {
                self.take(item as usize, false);
            }
        }
    }

    /// Takes `item` from the unplaced of its sections, or gives it back.
    fn take(&mut self, item: usize, away: bool) {
        for piece in self.items.pieces.row(item) {
            let weight = bounds::weight(self.items, piece);
            let Range { start: mut section, end } = piece.sections();
            while section < end {
                if away {
                    self.unplaced[section] -= weight;
                    self.waiting[section] -= 1;
                } else {
                    self.unplaced[section] += weight;
                    self.waiting[section] += 1;
                }
                section += 1;
            }
        }
        let Range { start: mut border, end } = self.stretches[item].borders();
        while border < end {
            if away {
                self.crossing[border] -= 1;
            } else {
                self.crossing[border] += 1;
            }
            border += 1;
        }
    }
}

/// Some sections in a row.
#[derive(Clone, Copy)]
struct Stretch {
    from: usize,
    to: usize,
}

impl Stretch {
    /// The sections of `item` and of its gaps.
    fn of(items: &Items, item: usize) -> Self {
        let pieces = items.pieces.row(item);
        Self { from: pieces[0].from as usize, to: pieces[pieces.len() - 1].to as usize }
    }

    fn include(&mut self, other: Self) {
        if other.from < self.from {
            self.from = other.from;
        }
        if other.to > self.to {
            self.to = other.to;
        }
    }

    /// The borders between its sections.
    fn borders(self) -> Range<usize> {
        self.from + 1..self.to
    }
}

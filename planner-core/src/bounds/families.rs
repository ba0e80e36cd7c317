//! Tensors whose values coincide, in common coordinates.

use crate::steps::{Program, Source};
use crate::uses::Uses;

/// A stretch of a value that must exist from one position of an order to another, both included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) bytes: usize,
    /// Where it is written; `None` before the first step.
    pub(super) first: Option<usize>,
    /// Where it is needed last; the number of steps if the caller needs it.
    pub(super) last: usize,
}

/// Every tensor in the family of those with which it may share.
pub(super) struct Families<'a> {
    uses: &'a Uses,
    /// The family of each tensor and its offset there; `None` if it needs no memory of its own.
    places: Vec<Option<(usize, usize)>>,
    groups: Vec<Family>,
    /// Where each tensor is written.
    first: Vec<Option<usize>>,
    /// The last position at which each tensor itself is needed.
    last: Vec<usize>,
}

#[derive(Default)]
struct Family {
    size: usize,
    members: Vec<usize>,
    /// Bytes that do not count, as `start..end`.
    void: Vec<(usize, usize)>,
}

impl<'a> Families<'a> {
    /// Only the inputs that lie in the arena, and the states.
    pub(super) fn new(program: &'a Program, uses: &'a Uses) -> Self {
        let tensors = program.tensors.len();
        let (first, last) = (vec![None; tensors], vec![0; tensors]);
        let mut families = Self { uses, places: vec![None; tensors], groups: Vec::new(), first, last };
        for (tensor, item) in program.tensors.iter().enumerate() {
            if matches!(item.source, Source::Input(_)) && uses.roles[tensor].input.is_open() {
                families.alone(tensor);
            }
        }
        for state in &program.states {
            families.alone(state.tensor.0);
            families.last[state.tensor.0] = program.steps.len();
        }
        families
    }

    fn size(&self, tensor: usize) -> usize {
        self.uses.bytes[tensor]
    }

    fn alone(&mut self, tensor: usize) {
        self.places[tensor] = Some((self.groups.len(), 0));
        self.groups.push(Family { size: self.size(tensor), members: vec![tensor], void: Vec::new() });
    }

    /// `tensor` needs memory of its own.
    pub(super) fn counts(&self, tensor: usize) -> bool {
        self.places[tensor].is_some()
    }

    /// `tensor` is written at `position`, for the time being apart from others.
    pub(super) fn found(&mut self, tensor: usize, position: usize) {
        self.alone(tensor);
        self.first[tensor] = Some(position);
        self.last[tensor] = position;
    }

    /// `tensor` must exist at `position`.
    pub(super) fn need(&mut self, tensor: usize, position: usize) {
        self.last[tensor] = position.max(self.last[tensor]);
    }

    /// `tensor`, which is alone, does not count.
    pub(super) fn forget(&mut self, tensor: usize) {
        if let Some((family, _)) = self.places[tensor].take() {
            self.groups[family] = Family::default();
        }
    }

    /// The fresh tensor `view` is the bytes of `whole` from `offset` on. What is a view twice does not count.
    pub(super) fn view(&mut self, view: usize, whole: usize, offset: usize) {
        let Some((own, _)) = self.places[view] else { return };
        if self.groups[own].members != [view] {
            self.places[view] = None;
            return;
        }
        self.groups[own] = Family::default();
        // A view that nobody reads keeps nothing alive.
        self.last[view] = 0;
        self.places[view] = self.places[whole].map(|(family, start)| {
            self.groups[family].members.push(view);
            (family, start + offset)
        });
    }

    /// `part` may be produced at `offset` inside `whole`; if that is impossible, these bytes may be elsewhere.
    pub(super) fn part(&mut self, part: usize, whole: usize, offset: usize) {
        let (Some((from, at)), Some((to, start))) = (self.places[part], self.places[whole]) else { return };
        let (start, size) = (start + offset, self.size(part));
        if from == to || at > 0 || self.groups[from].size != size {
            self.groups[to].void.push((start, start + size));
            return;
        }
        let family = std::mem::take(&mut self.groups[from]);
        for member in &family.members {
            self.places[*member] = self.places[*member].map(|(_, offset)| (to, start + offset));
        }
        self.groups[to].members.extend(family.members);
        self.groups[to].void.extend(family.void.into_iter().map(|(from, to)| (start + from, start + to)));
    }

    /// The distinct values of all families in an order of `steps` steps.
    pub(super) fn values(&self, steps: usize) -> Vec<Value> {
        let mut values = Vec::with_capacity(self.groups.len());
        for family in &self.groups {
            let spans = family.members.iter().filter_map(|&member| {
                let start = self.places[member]?.1;
                Some((start, start + self.size(member), self.life(member, steps)))
            });
            let spans: Vec<_> = spans.collect();
            let ends = spans.iter().flat_map(|&(start, end, _)| [start, end]);
            let mut cuts: Vec<usize> = ends.chain(family.void.iter().flat_map(|&(start, end)| [start, end])).collect();
            cuts.sort_unstable();
            cuts.dedup();
            for (&from, &to) in cuts.iter().zip(cuts.iter().skip(1)) {
                let covering = spans.iter().filter(|(start, end, _)| *start <= from && to <= *end);
                let life = covering.map(|(.., life)| *life).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
                let void = family.void.iter().any(|(start, end)| *start <= from && to <= *end);
                if let Some((first, last)) = life.filter(|_| !void) {
                    values.push(Value { bytes: to - from, first, last });
                }
            }
        }
        values
    }

    fn life(&self, tensor: usize, steps: usize) -> (Option<usize>, usize) {
        let role = self.uses.roles[tensor];
        let first = if role.output.is_kept() { None } else { self.first[tensor] };
        (first, if role.survives() { steps } else { self.last[tensor] })
    }
}

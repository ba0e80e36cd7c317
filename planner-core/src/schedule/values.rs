//! What each step needs, makes and frees, whatever the order.

use crate::model::TensorId;
use crate::options::Options;
use crate::steps::{Program, Sharing, Source};
use crate::uses::Uses;

/// Tensors of the arena, views counted as their arguments.
pub(super) struct Values {
    /// Bytes of each value; 0 if it is never freed.
    pub(super) bytes: Vec<usize>,
    /// The steps that read each value.
    pub(super) readers: Vec<Vec<usize>>,
    /// The values that each step reads, each once.
    pub(super) reads: Vec<Vec<usize>>,
    /// The values that each step writes.
    pub(super) writes: Vec<Vec<usize>>,
    /// Bytes that each step's results need.
    pub(super) allocated: Vec<usize>,
    /// For each value that a step reads, how many of its bytes the step's results may take if it dies with it.
    pub(super) saved: Vec<Vec<usize>>,
    /// Bytes of each step's results that nothing reads.
    pub(super) unread: Vec<usize>,
    /// Bytes of the inputs, the states, and the outputs that are kept.
    pub(super) given: usize,
    /// Bytes of each step's scratch.
    pub(super) scratch: Vec<usize>,
    /// The new values of states that each step makes.
    pub(super) renewals: Vec<Vec<Renewal>>,
    /// The values of all of them.
    renewed: Vec<usize>,
    /// No arena is below the peak of its order.
    pub(super) is_bound: bool,
}

impl Values {
    pub(super) fn new(program: &Program, options: &Options) -> Self {
        let source: Vec<usize> = (0..program.steps.len()).collect();
        let uses = Uses::new(program, options, &source);
        let mut of: Vec<usize> = (0..program.tensors.len()).collect();
        let size = |id: TensorId| uses.bytes[id.0];
        let kept = |id: TensorId| uses.roles[id.0].output.is_kept();
        let mut allocated = Vec::with_capacity(program.steps.len());
        let mut reused = Vec::with_capacity(program.steps.len());
        let mut given = 0;
        // A new value may lie in the place of a state before its update.
        let mut is_bound = program.states.is_empty();
        let mut updated: Vec<usize> = program.states.iter().map(|state| state.tensor.0).collect();
        let mut renewed: Vec<(usize, usize)> = Vec::new();
        for (step, allowed) in program.steps.iter().zip(&uses.allowed) {
            given += step.writes.iter().filter(|result| kept(**result)).map(|result| size(*result)).sum::<usize>();
            let mut new: usize = step.writes.iter().filter(|result| !kept(**result)).map(|result| size(*result)).sum();
            let mut reuses: Vec<(usize, usize)> = Vec::new();
            for (rule, _) in step.sharing.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
                match *rule {
                    Sharing::Update { arg, result } => {
                        new = new.saturating_sub(size(step.writes[result]));
                        updated.push(step.writes[result].0);
                        renewed.push((step.reads[arg].0, step.writes[result].0));
                    }
                    Sharing::View { result, arg, .. } => {
                        // A copy of a part lets the rest die.
                        is_bound &= size(step.writes[result]) == size(step.reads[arg]);
                        of[step.writes[result].0] = of[step.reads[arg].0];
                        new = new.saturating_sub(size(step.writes[result]));
                    }
                    Sharing::InPlace { arg, result } | Sharing::Into { arg, result, .. } => {
                        let (value, bytes) = (of[step.reads[arg].0], size(step.reads[arg]));
                        // A part may be read after it has become one, and what it is a part of may be one itself.
                        is_bound &= !matches!(rule, Sharing::Into { .. });
                        if !kept(step.writes[result]) && bytes == uses.bytes[value] {
                            reuses.push((value, bytes));
                        }
                    }
                    Sharing::Overlap { arg, result, direction, distances } => {
                        let (arg, result) = (step.reads[arg], step.writes[result]);
                        let bytes = distances.most_common(direction.lower_first([result, arg].map(size)));
                        reuses.push((of[arg.0], bytes));
                    }
                }
            }
            allocated.push(new);
            reused.push(reuses);
        }
        let mut bytes = vec![0; program.tensors.len()];
        for (tensor, item) in program.tensors.iter().enumerate() {
            let is_given = uses.roles[tensor].input.is_open() || matches!(item.source, Source::State(_));
            if of[tensor] == tensor && (is_given || item.source == Source::Step) {
                bytes[tensor] = uses.bytes[tensor];
                given += if is_given { bytes[tensor] } else { 0 };
            }
        }
        for tensor in updated {
            bytes[tensor] = 0;
        }
        for (tensor, _) in uses.roles.iter().enumerate().filter(|(_, role)| role.survives()) {
            bytes[of[tensor]] = 0;
        }
        let mut readers = vec![Vec::new(); program.tensors.len()];
        let distinct = |ids: &[TensorId]| {
            let mut values: Vec<usize> = ids.iter().map(|id| of[id.0]).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let reads: Vec<Vec<usize>> = program.steps.iter().map(|step| distinct(&step.reads)).collect();
        for (step, reads) in reads.iter().enumerate() {
            for &value in reads {
                readers[value].push(step);
            }
        }
        // An input that nothing reads is never freed here.
        is_bound &= program.inputs.iter().all(|input| !readers[of[input.tensor.0]].is_empty());
        let own = |id: &TensorId| of[id.0] == id.0;
        let writes: Vec<Vec<usize>> =
            program.steps.iter().map(|step| step.writes.iter().filter(|id| own(id)).map(|id| id.0).collect()).collect();
        let unread = |value: &&usize| readers[**value].is_empty();
        let unread = writes.iter().map(|writes| writes.iter().filter(unread).map(|value| bytes[*value]).sum());
        // However results and values are paired, each value gives its bytes once.
        let saved = |reuses: &[(usize, usize)], value: usize| {
            let of_value = reuses.iter().filter(|(of, _)| *of == value && bytes[value] > 0);
            of_value.map(|(_, bytes)| *bytes).max().unwrap_or(0)
        };
        let saved = |(reads, reuses): (&Vec<usize>, &Vec<_>)| reads.iter().map(|&value| saved(reuses, value)).collect();
        renewed.retain(|(value, _)| of[*value] == *value);
        let renewals = renewals(program, &uses, &readers, &renewed);
        let scratch = program.steps.iter().map(|step| step.scratch.map_or(0, |scratch| scratch.bytes));
        Self {
            saved: reads.iter().zip(&reused).map(saved).collect(),
            unread: unread.collect(),
            bytes,
            readers,
            reads,
            writes,
            allocated,
            given,
            scratch: scratch.collect(),
            renewed: renewals.iter().flatten().map(|renewal| renewal.value).collect(),
            renewals,
            is_bound,
        }
    }

    /// What `step` changes if nothing that it reads dies with it.
    pub(super) fn least_change(&self, step: usize) -> Change {
        let (allocated, freed, scratch) = (self.allocated[step], self.unread[step], self.scratch[step]);
        Change { allocated, shared: 0, freed, scratch, binds: false }
    }

    /// What `step` changes, if `last` tells of a value that it reads whether nothing reads it later.
    fn change(&self, step: usize, last: impl Fn(usize) -> bool) -> Change {
        let mut change = self.least_change(step);
        for (&value, saved) in self.reads[step].iter().zip(&self.saved[step]) {
            if last(value) {
                change.shared += saved;
                change.freed += self.bytes[value];
            }
        }
        change
    }

    /// Bytes that live while `step` runs, whatever the order: what it reads and makes, but for new values of states.
    pub(super) fn least_with(&self, step: usize) -> usize {
        let read = self.reads[step].iter().filter(|value| !self.renewed.contains(value));
        let read: usize = read.map(|&value| self.bytes[value]).sum();
        let renewed: usize = self.renewals[step].iter().map(|renewal| renewal.bytes).sum();
        let change = self.change(step, |_| true);
        read + Change { allocated: change.allocated.saturating_sub(renewed), ..change }.during()
    }

    /// What any arena has: what is given, and the results of each step.
    pub(super) fn least(&self) -> usize {
        self.allocated.iter().copied().fold(self.given, usize::max)
    }

    /// Most bytes that live at once in `order`.
    pub(super) fn peak(&self, order: &[usize]) -> usize {
        let mut finished = Finished::new(self);
        let (mut live, mut peak) = (self.given, self.given);
        for &step in order {
            let change = finished.change(step);
            peak = peak.max(live + change.during());
            live = change.after(live);
            finished.insert(step);
        }
        peak
    }
}

/// The steps of an order so far, and what follows from that.
pub(super) struct Finished<'a> {
    values: &'a Values,
    done: Vec<bool>,
    /// How many steps have still to read each value.
    pending: Vec<usize>,
    /// The values that lie in the place of a state.
    in_state: Vec<bool>,
}

impl<'a> Finished<'a> {
    /// None yet.
    pub(super) fn new(values: &'a Values) -> Self {
        Self {
            values,
            done: vec![false; values.reads.len()],
            pending: values.readers.iter().map(Vec::len).collect(),
            in_state: vec![false; values.bytes.len()],
        }
    }

    /// What `step` changes if it is next.
    pub(super) fn change(&self, step: usize) -> Change {
        let mut change = self.values.change(step, |value| self.pending[value] == 1 && !self.in_state[value]);
        for renewal in self.renewed(step) {
            change.allocated = change.allocated.saturating_sub(renewal.bytes);
        }
        change
    }

    /// `step` is finished next.
    pub(super) fn insert(&mut self, step: usize) {
        let renewed: Vec<usize> = self.renewed(step).map(|renewal| renewal.value).collect();
        for value in renewed {
            self.in_state[value] = true;
        }
        self.values.reads[step].iter().for_each(|value| self.pending[*value] -= 1);
        self.done[step] = true;
    }

    /// What `step` makes in the place of states.
    fn renewed(&self, step: usize) -> impl Iterator<Item = &'a Renewal> {
        let in_place = |renewal: &&Renewal| renewal.readers.iter().all(|&reader| self.done[reader]);
        self.values.renewals[step].iter().filter(in_place)
    }
}

/// The new value of a state: it lies in the state's place, where it takes no bytes of its own, if all is finished that
/// reads the old one.
#[derive(Clone)]
pub(super) struct Renewal {
    pub(super) value: usize,
    pub(super) bytes: usize,
    /// The steps that read the old value, but for the one that makes the new one.
    pub(super) readers: Vec<usize>,
}

/// What a step does to the bytes that live.
#[derive(Clone, Copy)]
pub(super) struct Change {
    /// Bytes of its results.
    pub(super) allocated: usize,
    /// Bytes of its results that may lie where its arguments are.
    pub(super) shared: usize,
    /// Bytes that nothing needs afterwards.
    pub(super) freed: usize,
    /// Bytes of its scratch.
    pub(super) scratch: usize,
    /// It makes a new value of a state beside the state, which later it might make in its place.
    pub(super) binds: bool,
}

impl Change {
    /// Bytes that live while the step runs beside what lives before.
    pub(super) fn during(&self) -> usize {
        self.allocated.saturating_sub(self.shared) + self.scratch
    }

    /// Bytes that live after the step, if `live` did before.
    pub(super) fn after(&self, live: usize) -> usize {
        (live + self.allocated).saturating_sub(self.freed)
    }

    /// Where `live` bytes live, it makes no peak above `peak` and leaves no more.
    pub(super) fn is_free(&self, live: usize, peak: usize) -> bool {
        self.allocated <= self.freed && !self.binds && live + self.during() <= peak
    }
}

/// For each step the new values of states that it may make in their places, of those that are `renewed`: pairs of a
/// value and the result of the update.
fn renewals(program: &Program, uses: &Uses, readers: &[Vec<usize>], renewed: &[(usize, usize)]) -> Vec<Vec<Renewal>> {
    let mut renewals = vec![Vec::new(); program.steps.len()];
    let writers = if renewed.is_empty() { Vec::new() } else { writers(program) };
    for &(value, next) in renewed {
        let state = program.states.iter().find(|state| state.next.0 == next).map(|state| state.tensor.0);
        let (Some(state), Some(maker)) = (state, writers[value]) else { continue };
        let step = &program.steps[maker];
        let over = |(rule, allowed): (&Sharing, &bool)| match *rule {
            Sharing::InPlace { arg, result } => {
                *allowed && step.reads[arg].0 == state && step.writes[result].0 == value
            }
            _ => false,
        };
        let mut readers: Vec<usize> = readers[state].clone();
        if step.sharing.iter().zip(&uses.allowed[maker]).any(over) {
            readers.retain(|reader| *reader != maker);
        }
        if !readers.contains(&maker) {
            renewals[maker].push(Renewal { value, bytes: uses.bytes[value], readers });
        }
    }
    renewals
}

/// The step that writes each tensor.
pub(super) fn writers(program: &Program) -> Vec<Option<usize>> {
    let mut writers = vec![None; program.tensors.len()];
    for (index, step) in program.steps.iter().enumerate() {
        step.writes.iter().for_each(|result| writers[result.0] = Some(index));
    }
    writers
}

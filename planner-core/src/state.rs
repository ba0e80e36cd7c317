//! States as the planner sees them: a tensor that is there when a run begins, and an *update*, a step
//! that puts its new value in the same place.
//!
//! An update copies the value, unless that can be produced in the state's place: when nothing needs
//! what was there before ([`Sharing::Update`]). It runs after every step that reads the state.

use crate::emit::StaticId;
use crate::model::TensorId;
use crate::ops;
use crate::source::Src;
use crate::steps::{Program, ProgramTensor, Sharing, Source, Step};
use crate::variants::Variants;
use std::collections::BTreeSet;

/// A tensor kept between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// What the run before left.
    pub tensor: TensorId,
    /// What this run leaves, in the same place: the result of its update.
    pub next: TensorId,
    /// What the first run finds.
    pub init: StateInit,
}

/// The elements of a state before the first run.
#[derive(Clone, Debug, PartialEq)]
pub enum StateInit {
    /// All are this one, little-endian.
    Splat(Vec<u8>),
    /// Those of a constant.
    Static(StaticId),
}

impl StateInit {
    /// Every bit is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Splat(element) if element.iter().all(|byte| *byte == 0))
    }
}

/// What a state is and what it is given.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The state.
    pub state: TensorId,
    /// Its elements before the first run.
    pub init: StateInit,
    /// The value that it takes.
    pub value: TensorId,
    /// Where it is given it.
    pub src: Src,
}

/// Gives `program` the states of `assignments` with their updates, each as early in source order as it may run.
///
/// Some step must make use of each state.
pub fn add_states(program: &mut Program, assignments: Vec<Assignment>) {
    let values: Vec<TensorId> = assignments.iter().map(|assignment| own(program, assignment)).collect();
    for (Assignment { state, init, src, .. }, value) in assignments.into_iter().zip(values) {
        let next = add_tensor(program, state, "next", src);
        let (mut step, ready) = (copy(program, value, next, src), made(program, value));
        step.op = "assign";
        step.sharing = vec![Sharing::Update { arg: 0, result: 0 }];
        for call in &mut step.calls {
            call.elided_by = Some(0);
        }
        let after = readers(program, state).last().map_or(0, |last| last + 1).max(ready);
        program.steps.insert(after, step);
        program.states.push(State { tensor: state, next, init });
    }
}

/// The value of `assignment`, copied if it may lie in the place of a state, which its own update overwrites.
fn own(program: &mut Program, assignment: &Assignment) -> TensorId {
    let Assignment { state, value, src, .. } = *assignment;
    let Source::State(_) = program.tensor(viewed(program, value)).source else { return value };
    let copied = add_tensor(program, state, "copy", src);
    let (step, at) = (copy(program, value, copied, src), made(program, value));
    program.steps.insert(at, step);
    copied
}

/// What `tensor` is a view of, through other views.
fn viewed(program: &Program, mut tensor: TensorId) -> TensorId {
    for step in program.steps.iter().rev() {
        let view = step.sharing.iter().find_map(|rule| match *rule {
            Sharing::View { result, arg, .. } if step.writes[result] == tensor => Some(step.reads[arg]),
            _ => None,
        });
        tensor = view.unwrap_or(tensor);
    }
    tensor
}

/// A copy of `from` to `to`.
fn copy(program: &Program, from: TensorId, to: TensorId, src: Src) -> Step {
    Step {
        name: program.tensor(to).name.clone(),
        op: "copy",
        attributes: Vec::new(),
        src,
        reads: vec![from],
        writes: vec![to],
        scratch: None,
        macs: 0,
        calls: ops::copy_whole(&program.tensor(to).ty),
        sharing: Vec::new(),
        variants: Variants::default(),
    }
}

/// A new tensor of the type of `like`, called after it.
fn add_tensor(program: &mut Program, like: TensorId, suffix: &str, src: Src) -> TensorId {
    let base = format!("{}_{suffix}", program.tensor(like).name);
    let taken: BTreeSet<&str> = program.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    let numbered = (2..).map(|number| format!("{base}_{number}"));
    let name = std::iter::once(base.clone()).chain(numbered).find(|name| !taken.contains(name.as_str()));
    let ty = program.tensor(like).ty.clone();
    program.tensors.push(ProgramTensor { name: name.unwrap_or(base), ty, src, source: Source::Step });
    TensorId(program.tensors.len() - 1)
}

/// The first place at which a step that reads `tensor` may stand.
fn made(program: &Program, tensor: TensorId) -> usize {
    program.steps.iter().position(|step| step.writes.contains(&tensor)).map_or(0, |step| step + 1)
}

/// The steps that read `tensor`, or what may be a view of it, in order.
fn readers(program: &Program, tensor: TensorId) -> Vec<usize> {
    let mut views = BTreeSet::from([tensor]);
    let mut readers = Vec::new();
    for (index, step) in program.steps.iter().enumerate() {
        if !step.reads.iter().any(|read| views.contains(read)) {
            continue;
        }
        readers.push(index);
        for rule in &step.sharing {
            if let Sharing::View { result, arg, .. } = *rule
                && views.contains(&step.reads[arg])
            {
                views.insert(step.writes[result]);
            }
        }
    }
    readers
}

impl Program {
    /// For each step, those that must run before it although it reads nothing of theirs: an update waits
    /// for what reads the state that it overwrites.
    #[must_use]
    pub fn waits(&self) -> Vec<Vec<usize>> {
        let mut waits = vec![Vec::new(); self.steps.len()];
        for (state, update) in self.states.iter().zip(self.updates()) {
            let readers = readers(self, state.tensor).into_iter().filter(|reader| *reader != update);
            waits[update] = readers.collect();
        }
        waits
    }

    /// The step that updates each state.
    #[must_use]
    pub fn updates(&self) -> Vec<usize> {
        let update = |state: &State| self.steps.iter().position(|step| step.writes.contains(&state.next));
        self.states.iter().filter_map(update).collect()
    }
}

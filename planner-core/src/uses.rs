//! What is wanted of each tensor, and until when.

use crate::emit::Call;
use crate::model::{InputMode, TensorId};
use crate::options::Options;
use crate::planned::Rules;
use crate::steps::{Program, Sharing, Source, Step};

/// What is wanted of each tensor of a program when its steps run in one order.
#[derive(Clone, Debug)]
pub struct Uses {
    /// The last step that reads it, by position in the order, calls that sharing may spare included.
    pub last_read: Vec<Option<usize>>,
    /// What it is to the caller.
    pub roles: Vec<Role>,
    /// Its size.
    pub bytes: Vec<usize>,
    /// For each step and each of its rules of sharing: the options allow it and its tensors could share at all.
    pub allowed: Rules,
}

/// What a tensor is to the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// The caller writes it into the arena; if kept, a run leaves it as it was.
    pub input: Port,
    /// The caller reads it; if kept, its place is its own.
    pub output: Port,
    /// The next run finds it in a state.
    pub next: bool,
}

/// Whether a tensor passes between a network and its caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Port {
    /// It does not.
    #[default]
    No,
    /// It does.
    Plain,
    /// It does, and is kept.
    Kept,
}

impl Port {
    /// It passes.
    #[must_use]
    pub fn is_open(self) -> bool {
        self != Self::No
    }

    /// It is kept.
    #[must_use]
    pub fn is_kept(self) -> bool {
        self == Self::Kept
    }
}

impl Role {
    /// Its bytes must be there after the last step.
    #[must_use]
    pub fn survives(self) -> bool {
        self.output.is_open() || self.input.is_kept() || self.next
    }
}

impl Uses {
    /// The uses of `program`'s tensors in `order`, a permutation of its steps.
    #[must_use]
    pub fn new(program: &Program, options: &Options, order: &[usize]) -> Self {
        let mut roles = vec![Role::default(); program.tensors.len()];
        for input in &program.inputs {
            roles[input.tensor.0].input = match input.mode {
                InputMode::Plain => Port::Plain,
                InputMode::Kept => Port::Kept,
                InputMode::Borrowed => Port::No,
            };
        }
        for output in &program.outputs {
            let role = &mut roles[output.tensor.0];
            role.output = if output.kept || role.output.is_kept() { Port::Kept } else { Port::Plain };
        }
        for state in &program.states {
            roles[state.next.0].next = true;
        }
        let mut last_read = vec![None; program.tensors.len()];
        for (position, &step) in order.iter().enumerate() {
            for read in &program.steps[step].reads {
                last_read[read.0] = Some(position);
            }
        }
        let bytes = program.tensors.iter().map(|tensor| tensor.ty.bytes()).collect();
        let mut uses = Self { last_read, roles, bytes, allowed: Vec::new() };
        let makers = makers(program);
        let allowed =
            |step: &Step| step.sharing.iter().map(|rule| uses.allows(program, options, step, *rule, &makers)).collect();
        uses.allowed = program.steps.iter().map(allowed).collect();
        uses
    }

    /// Something after position `position` needs `tensor`.
    #[must_use]
    pub fn needed_after(&self, tensor: usize, position: usize) -> bool {
        self.roles[tensor].survives() || self.last_read[tensor].is_some_and(|last| last > position)
    }

    fn allows(
        &self,
        program: &Program,
        options: &Options,
        step: &Step,
        rule: Sharing,
        makers: &[Option<&Call>],
    ) -> bool {
        let roles = |id: TensorId| self.roles[id.0];
        let bytes = |id: TensorId| self.bytes[id.0];
        let movable = |id: TensorId| {
            let outside = |input: usize| program.inputs[input].mode == InputMode::Borrowed;
            match program.tensor(id).source {
                Source::Step => true,
                Source::Input(input) => !outside(input),
                Source::State(_) | Source::Static(_) | Source::Unused => false,
            }
        };
        match rule {
            Sharing::View { result, arg, offset } => {
                let (result, arg) = (step.writes[result], step.reads[arg]);
                options.views && !roles(result).output.is_kept() && offset + bytes(result) <= bytes(arg)
            }
            Sharing::Into { arg, result, offset, spread } => {
                let (result, arg) = (step.writes[result], step.reads[arg]);
                let extent = spread.map_or(bytes(arg), |spread| spread.extent(bytes(arg)));
                let made = spread.is_none_or(|spread| {
                    let size = program.tensor(arg).ty.dtype.bytes();
                    let unseen = !roles(arg).input.is_open() && !roles(arg).output.is_open();
                    unseen
                        && makers[arg.0]
                            .is_some_and(|call| call.spread(spread.run / size, spread.stride / size).is_some())
                });
                let kept = roles(arg).input.is_kept() || roles(arg).output.is_kept();
                let own = roles(arg).input.is_open() && roles(result).output.is_kept();
                options.concat && movable(arg) && !kept && !own && made && offset + extent <= bytes(result)
            }
            Sharing::Update { arg, .. } => {
                let arg = step.reads[arg];
                options.in_place && movable(arg) && !roles(arg).input.is_open() && !roles(arg).output.is_kept()
            }
            Sharing::InPlace { arg, result } => {
                let (result, arg) = (step.writes[result], step.reads[arg]);
                let state = matches!(program.tensor(arg).source, Source::State(_));
                let free = (movable(arg) || state) && !roles(arg).survives();
                options.in_place && free && !roles(result).output.is_kept() && bytes(arg) == bytes(result)
            }
            Sharing::Overlap { arg, result, .. } => {
                let (result, arg) = (step.writes[result], step.reads[arg]);
                options.overlap && movable(arg) && !roles(arg).survives() && !roles(result).output.is_kept()
            }
        }
    }
}

/// For each tensor, the call that makes it and nothing else, if it is read once.
fn makers(program: &Program) -> Vec<Option<&Call>> {
    let mut readers = vec![0; program.tensors.len()];
    program.steps.iter().flat_map(|step| &step.reads).for_each(|read| readers[read.0] += 1);
    let mut makers = vec![None; program.tensors.len()];
    for step in &program.steps {
        if let ([result], [call]) = (step.writes.as_slice(), step.calls.as_slice())
            && call.elided_by.is_none()
            && readers[result.0] == 1
        {
            makers[result.0] = Some(call);
        }
    }
    makers
}

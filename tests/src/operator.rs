//! One operator at a time, in every way that it may run.

use crate::build::Builder;
use crate::interpreter::{Interpreter, Placement};
use crate::overlap;
use bytemuck::Pod;
use planner_core::arch::Arch;
use planner_core::diagnostic::Diagnostics;
use planner_core::model::{TensorId, TensorType, TypedModel};
use planner_core::ops::AttrValue;
use planner_core::planned::Place;
use planner_core::quant::Quant;
use planner_core::steps::{Program, Sharing, lower_for, lower_with};
use planner_core::variants::{Choice, Variant};

/// An argument of the operator under test.
#[derive(Clone, Debug)]
pub enum Arg {
    /// An input and its bytes.
    Input(TensorType, Vec<u8>),
    /// A parameter and its bytes.
    Param(TensorType, Vec<u8>),
    /// The argument of this index once more.
    Again(usize),
}

impl Arg {
    /// An input of these elements.
    #[must_use]
    pub fn input<T: Pod>(ty: TensorType, elements: &[T]) -> Self {
        Self::Input(ty, bytemuck::cast_slice(elements).to_vec())
    }

    /// A parameter of these elements.
    #[must_use]
    pub fn param<T: Pod>(ty: TensorType, elements: &[T]) -> Self {
        Self::Param(ty, bytemuck::cast_slice(elements).to_vec())
    }
}

/// An application of an operator.
#[derive(Clone, Debug)]
pub struct Application<'a> {
    /// The operator's name.
    pub op: &'static str,
    /// Its arguments.
    pub args: &'a [Arg],
    /// Its attributes.
    pub attrs: &'a [(&'static str, AttrValue)],
    /// The quantisation declared for its results.
    pub quant: Option<Quant>,
}

impl Application<'_> {
    /// The network of this operator alone, and the bytes of its inputs.
    ///
    /// # Errors
    /// What binding, inference or lowering find.
    pub fn lower(&self) -> Result<(Program, Vec<Vec<u8>>), Diagnostics> {
        self.lower_for(Arch::Portable)
    }

    /// As [`Application::lower`], for `arch`.
    ///
    /// # Errors
    /// As for [`Application::lower`].
    pub fn lower_for(&self, arch: Arch) -> Result<(Program, Vec<Vec<u8>>), Diagnostics> {
        let (typed, inputs) = self.infer()?;
        Ok((lower_for(&typed, arch)?, inputs))
    }

    /// For `arch`, with each kernel that the operator could have there but for the portable one beside others.
    ///
    /// # Panics
    /// If the operator is refused.
    #[must_use]
    pub fn programs(&self, arch: Arch) -> Vec<Program> {
        let refused = |found: Diagnostics| -> ! { panic!("{self:?}:\n{found}") };
        let (typed, _) = self.infer().unwrap_or_else(|found| refused(found));
        let lower = |choice: &Choice| lower_with(&typed, arch, choice).unwrap_or_else(|found| refused(found));
        let usual = lower(&Choice::new());
        let mut all: Vec<Program> = others(&usual).iter().map(lower).collect();
        all.push(usual);
        all
    }

    /// The checked model, and the bytes of its inputs.
    fn infer(&self) -> Result<(TypedModel, Vec<Vec<u8>>), Diagnostics> {
        let mut net = Builder::new();
        let mut inputs = Vec::new();
        let mut tensors: Vec<TensorId> = Vec::new();
        for (index, arg) in self.args.iter().enumerate() {
            tensors.push(match arg {
                Arg::Input(ty, bytes) => {
                    inputs.push(bytes.clone());
                    net.input(&format!("input_{index}"), ty.clone())
                }
                Arg::Param(ty, bytes) => net.param(&format!("param_{index}"), ty.clone(), bytes.clone()),
                Arg::Again(earlier) => tensors[*earlier],
            });
        }
        for result in net.try_apply(self.op, &tensors, self.attrs, self.quant.as_ref())? {
            net.output(result);
        }
        Ok((net.infer()?, inputs))
    }

    /// The bytes of each result, the same however the operator runs: whole or in pieces,
    /// over clean or dirty memory, apart or with any of its rules of sharing applied, with the kernels of every
    /// machine.
    ///
    /// # Panics
    /// If the operator is refused, or two ways differ.
    #[must_use]
    pub fn run(&self) -> Vec<Vec<u8>> {
        let (program, inputs) = self.lower().unwrap_or_else(|found| panic!("{self:?}:\n{found}"));
        let apart = Interpreter::new(&program, &[]).run_apart(&inputs);
        let on = |arch: Arch| self.programs(arch).into_iter().map(move |program| (arch, program));
        for (arch, program) in Arch::ALL.into_iter().flat_map(on) {
            let variant = program.steps[0].variants.chosen();
            let scratch = program.steps[0].scratch.map_or(0, |scratch| scratch.bytes);
            assert!(variant.is_none_or(|variant| variant.scratch == scratch), "{variant:?} takes {scratch}: {self:?}");
            // Channel by channel, tensors that have almost nothing in common do no harm either.
            let tight = arch == Arch::Portable && variant.is_none_or(|variant| variant.name != "ring");
            overlap::check_distances(&program, &inputs, tight, self);
            let placements = std::iter::once(Placement::apart(&program)).chain(shared(&program));
            let placements = placements.chain(overlap::placements(&program));
            for (index, placement) in placements.enumerate() {
                for (pieces, pattern) in [(1, 0), (3, 0x5555_5555), (8, u32::MAX)] {
                    let interpreter = Interpreter::new(&program, &[]).pieces(pieces);
                    let outputs = interpreter.run(&placement, &mut placement.arena(pattern), &inputs);
                    assert!(outputs == apart, "{arch:?}: {pieces} pieces, placement {index} differ: {self:?}");
                }
            }
        }
        apart
    }

    /// The elements of the only result; as [`Application::run`].
    ///
    /// # Panics
    /// As for [`Application::run`], or if there are several results.
    #[must_use]
    pub fn result<T: Pod>(&self) -> Vec<T> {
        let [result] = self.run().try_into().expect("one result");
        result.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }

    /// The first thing that is found wrong, as a user reads it.
    ///
    /// # Panics
    /// If nothing is.
    #[must_use]
    pub fn error(&self) -> String {
        self.lower().expect_err("an error").0[0].to_string()
    }
}

/// What chooses each kernel that the step could have beside its usual and the portable one.
fn others(program: &Program) -> Vec<Choice> {
    let step = &program.steps[0];
    let others = step.variants.all.iter().skip(1).filter(|variant| variant.name != "portable");
    others.map(|Variant { name, .. }| Choice::from([(step.name.clone(), (*name).to_owned())])).collect()
}

/// One placement for each rule of sharing, with that rule applied.
fn shared(program: &Program) -> impl Iterator<Item = Placement> {
    let step = &program.steps[0];
    step.sharing.iter().enumerate().filter_map(move |(rule, sharing)| {
        let mut placement = Placement::apart(program);
        let (moved, base, by) = match *sharing {
            // Nothing that could leave gaps makes the arguments here.
            Sharing::Into { spread: Some(_), .. } | Sharing::Overlap { .. } => return None,
            Sharing::View { result, arg, offset } => (step.writes[result], step.reads[arg], offset),
            Sharing::Into { arg, result, offset, .. } => (step.reads[arg], step.writes[result], offset),
            Sharing::InPlace { arg, result } | Sharing::Update { arg, result } => {
                (step.writes[result], step.reads[arg], 0)
            }
        };
        placement.places[moved.0] = match (placement.places[moved.0], placement.places[base.0]) {
            (Place::Arena { .. }, Place::Arena { buffer, offset }) => Place::Arena { buffer, offset: offset + by },
            (Place::Arena { .. }, Place::Static { id, offset }) if !matches!(sharing, Sharing::InPlace { .. }) => {
                Place::Static { id, offset: offset + by }
            }
            // A constant can be neither moved nor overwritten.
            _ => return None,
        };
        placement.steps[0].calls.retain(|&call| step.calls[call].elided_by != Some(rule));
        Some(placement)
    })
}

//! Programs made by hand: steps that compute something unspecified, views, splits and concats.

use super::random::Random;
use planner_core::distances::{Direction, Distances};
use planner_core::dtype::DType;
use planner_core::emit::{Call, Init, Operand, Static, StaticId, Struct, Value};
use planner_core::model::{Input, InputMode, Output, TensorId, TensorType};
use planner_core::options::{Effort, Layout, Options, Order};
use planner_core::shape::Shape;
use planner_core::source::Src;
use planner_core::state::{Assignment, StateInit, add_states};
use planner_core::steps::{Program, ProgramTensor, Scratch, Sharing, Source, Spread, Step};
use planner_core::variants::Variants;

/// Builds a [`Program`] a tensor at a time.
#[derive(Default)]
pub struct Builder {
    pub program: Program,
}

impl Builder {
    pub fn new() -> Self {
        Self { program: Program { name: "net".into(), ..Program::default() } }
    }

    fn tensor(&mut self, name: String, dtype: DType, elements: usize, source: Source) -> TensorId {
        let ty = TensorType::plain(dtype, Shape::new([elements]).unwrap());
        self.program.tensors.push(ProgramTensor { name, ty, src: Src(0), source });
        TensorId(self.program.tensors.len() - 1)
    }

    pub fn input(&mut self, dtype: DType, elements: usize, mode: InputMode) -> TensorId {
        let index = self.program.inputs.len();
        let tensor = self.tensor(format!("in{index}"), dtype, elements, Source::Input(index));
        self.program.inputs.push(Input { tensor, mode });
        tensor
    }

    pub fn constant(&mut self, dtype: DType, elements: usize) -> TensorId {
        let index = self.program.statics.len();
        let name = format!("w{index}");
        let bytes = (0..elements * dtype.bytes()).map(|byte| u8::try_from(byte % 251).unwrap()).collect();
        let tensor = self.tensor(name.clone(), dtype, elements, Source::Static(StaticId(index)));
        self.program.param_bytes += elements * dtype.bytes();
        self.program.statics.push(Static { name, dtype, len: elements, init: Init::Bytes(bytes), weights: true });
        tensor
    }

    /// A tensor kept between runs; [`assign`](Self::assign) it.
    pub fn state(&mut self, dtype: DType, elements: usize) -> TensorId {
        let index = self.program.tensors.iter().filter(|tensor| matches!(tensor.source, Source::State(_))).count();
        self.tensor(format!("h{index}"), dtype, elements, Source::State(index))
    }

    /// What each state becomes.
    pub fn assign(&mut self, values: &[(TensorId, TensorId)]) {
        let assignment = |&(state, value): &(TensorId, TensorId)| {
            let init = StateInit::Splat(vec![0; self.program.tensor(state).ty.dtype.bytes()]);
            Assignment { state, init, value, src: Src(0) }
        };
        let assignments = values.iter().map(assignment).collect();
        add_states(&mut self.program, assignments);
    }

    pub fn output(&mut self, tensor: TensorId, kept: bool) {
        let name = format!("out{}", self.program.outputs.len());
        self.program.outputs.push(Output { name, tensor, kept, src: Src(0) });
    }

    fn results(&mut self, list: &[(DType, usize)]) -> Vec<TensorId> {
        let result = |&(dtype, elements): &(DType, usize)| {
            let name = format!("t{}", self.program.tensors.len());
            self.tensor(name, dtype, elements, Source::Step)
        };
        list.iter().map(result).collect()
    }

    fn push(&mut self, op: &'static str, reads: Vec<TensorId>, writes: Vec<TensorId>) -> &mut Step {
        let name = self.program.tensor(writes[0]).name.clone();
        let (src, calls, sharing) = (Src(0), Vec::new(), Vec::new());
        let (attributes, variants) = (Vec::new(), Variants::default());
        let step = Step { name, op, attributes, src, reads, writes, scratch: None, macs: 0, calls, sharing, variants };
        self.program.steps.push(step);
        self.program.steps.last_mut().unwrap()
    }

    /// A step that reads all of `reads` and writes results of these types; in place by every rule that sizes allow.
    pub fn compute(
        &mut self,
        reads: &[TensorId],
        results: &[(DType, usize)],
        in_place: bool,
        scratch: Option<Scratch>,
    ) -> Vec<TensorId> {
        let writes = self.results(results);
        let sizes: Vec<usize> = self.program.tensors.iter().map(|tensor| tensor.ty.bytes()).collect();
        let step = self.push("compute", reads.to_vec(), writes.clone());
        step.scratch = scratch;
        step.macs = reads.iter().map(|read| sizes[read.0] as u64).sum();
        let operands = (0..reads.len()).map(Operand::Read).chain((0..writes.len()).map(Operand::Write));
        let mut call = call(operands.chain(scratch.map(|_| Operand::Scratch)).collect(), None);
        call.params = dense(results[0].1 / rows(results[0].1));
        step.calls.push(call);
        if in_place {
            for arg in 0..reads.len() {
                for result in 0..writes.len() {
                    if sizes[reads[arg].0] == sizes[writes[result].0] {
                        step.sharing.push(Sharing::InPlace { arg, result });
                    }
                }
            }
        }
        writes
    }

    /// Lets a result of the last step lie over an argument.
    pub fn overlap(&mut self, arg: usize, result: usize, direction: Direction, distances: Distances) {
        let step = self.program.steps.last_mut().unwrap();
        let same = |rule: &Sharing| match *rule {
            Sharing::Overlap { arg: a, result: b, direction: c, .. } => (a, b, c) == (arg, result, direction),
            _ => false,
        };
        step.sharing.retain(|rule| !same(rule));
        step.sharing.push(Sharing::Overlap { arg, result, direction, distances });
    }

    /// A step with one result, elementwise of its arguments.
    pub fn unary(&mut self, read: TensorId) -> TensorId {
        let ty = self.program.tensor(read).ty.clone();
        self.compute(&[read], &[(ty.dtype, ty.shape.elements())], true, None)[0]
    }

    /// Views of `read`: pairs of first element and number of elements.
    pub fn views(&mut self, read: TensorId, parts: &[(usize, usize)]) -> Vec<TensorId> {
        let dtype = self.program.tensor(read).ty.dtype;
        let types: Vec<(DType, usize)> = parts.iter().map(|&(_, elements)| (dtype, elements)).collect();
        let writes = self.results(&types);
        let step = self.push("view", vec![read], writes.clone());
        for (result, &(first, _)) in parts.iter().enumerate() {
            step.calls.push(call(vec![Operand::Read(0), Operand::Write(result)], Some(result)));
            step.sharing.push(Sharing::View { result, arg: 0, offset: first * dtype.bytes() });
        }
        writes
    }

    /// The concatenation of `reads`, which have one element type.
    pub fn concat(&mut self, reads: &[TensorId]) -> TensorId {
        self.join(reads, 1)
    }

    /// The rows of `reads` side by side, which have one element type and this many rows.
    pub fn join(&mut self, reads: &[TensorId], rows: usize) -> TensorId {
        let dtype = self.program.tensor(reads[0]).ty.dtype;
        let sizes: Vec<usize> = reads.iter().map(|read| self.program.tensor(*read).ty.bytes()).collect();
        let result = self.results(&[(dtype, sizes.iter().sum::<usize>() / dtype.bytes())])[0];
        let step = self.push("concat", reads.to_vec(), vec![result]);
        let stride = sizes.iter().sum::<usize>() / rows;
        let mut offset = 0;
        for (arg, size) in sizes.into_iter().enumerate() {
            let run = size / rows;
            let spread = (rows > 1 && run < stride).then_some(Spread { run, stride });
            step.calls.push(call(vec![Operand::Read(arg), Operand::Write(0)], Some(arg)));
            step.sharing.push(Sharing::Into { arg, result: 0, offset, spread });
            offset += run;
        }
        result
    }
}

/// How many rows a kernel makes of so many elements, each of which may lie apart.
pub fn rows(elements: usize) -> usize {
    [4, 3, 2].into_iter().find(|rows| elements.is_multiple_of(*rows)).unwrap_or(1)
}

/// Parameters of a kernel whose result has rows of this many elements.
fn dense(row: usize) -> Struct {
    let rows = Struct { name: "Rows", fields: vec![("stride", Value::size(row))] };
    Struct { name: "Dense", fields: vec![("to", Value::Struct(rows))] }
}

fn call(operands: Vec<Operand>, elided_by: Option<usize>) -> Call {
    Call { kernel: "kernel", params: Struct { name: "Params", fields: Vec::new() }, operands, units: 1, elided_by }
}

/// A program of up to `most` steps with everything that programs can have.
pub fn random_program(seed: u64, most: usize) -> Program {
    let mut random = Random::new(seed);
    let mut builder = Builder::new();
    let dtypes: &[DType] = if random.one_in(2) { &[DType::I8] } else { &DType::ALL };
    let mut tensors = Vec::new();
    for _ in 0..random.range(1, 3) {
        let mode = random.pick(&[InputMode::Plain, InputMode::Plain, InputMode::Kept, InputMode::Borrowed]);
        tensors.push(builder.input(random.pick(dtypes), random.range(1, 24), mode));
    }
    for _ in 0..random.below(3) {
        tensors.push(builder.constant(random.pick(dtypes), random.range(1, 24)));
    }
    let mut states = Vec::new();
    for _ in 0..random.below(3) {
        states.push(builder.state(random.pick(dtypes), random.range(1, 24)));
    }
    tensors.extend(&states);
    for _ in 0..random.range(0, most) {
        let recent = tensors.len() - tensors.len().min(5);
        let read = |random: &mut Random| {
            let from = if random.one_in(4) { 0 } else { recent };
            tensors[random.range(from, tensors.len() - 1)]
        };
        let first = read(&mut random);
        let ty = builder.program.tensor(first).ty.clone();
        let elements = ty.shape.elements();
        match random.below(10) {
            0..=1 => {
                let parts: Vec<(usize, usize)> = (0..random.range(1, 3))
                    .map(|_| {
                        let start = random.below(elements);
                        (start, random.range(1, elements - start))
                    })
                    .collect();
                tensors.extend(builder.views(first, &parts));
            }
            2 => tensors.extend(builder.views(first, &[(0, elements)])),
            3..=4 => {
                let same = |id: &TensorId| builder.program.tensor(*id).ty.dtype == ty.dtype;
                let others: Vec<TensorId> = tensors.iter().copied().filter(same).collect();
                let mut reads = vec![first];
                for _ in 0..random.range(0, 3) {
                    reads.push(if random.one_in(2) {
                        let argument = read(&mut random);
                        builder.compute(&[argument], &[(ty.dtype, elements)], random.one_in(3), None)[0]
                    } else {
                        random.pick(&others)
                    });
                }
                let rows = rows(elements);
                let even = |id: &TensorId| builder.program.tensor(*id).ty.shape.elements().is_multiple_of(rows);
                let even = reads.iter().all(even);
                tensors.push(if even { builder.join(&reads, rows) } else { builder.concat(&reads) });
            }
            5..=6 => tensors.push(builder.unary(first)),
            _ => {
                let mut reads = vec![first];
                for _ in 0..random.below(3) {
                    reads.push(read(&mut random));
                }
                let results: Vec<(DType, usize)> = (0..random.range(1, 2))
                    .map(|_| {
                        if random.one_in(2) { (ty.dtype, elements) } else { (random.pick(dtypes), random.range(1, 24)) }
                    })
                    .collect();
                let scratch = random.one_in(4).then(|| Scratch {
                    bytes: random.range(1, 40),
                    dtype: random.pick(&[DType::I8, DType::I32, DType::I64]),
                });
                let in_place = !random.one_in(3);
                tensors.extend(builder.compute(&reads, &results, in_place, scratch));
                for _ in 0..random.below(4) {
                    let direction = random.pick(&[Direction::Forward, Direction::Backward]);
                    let (from, more) = (random.below(40), random.below(40));
                    let distances = Distances { from, multiple: random.pick(&[1, 3, 4, 8]), any: from + more };
                    builder.overlap(random.below(reads.len()), random.below(results.len()), direction, distances);
                }
            }
        }
    }
    let assigned = assignments(&mut builder, &mut random, &states, &mut tensors);
    for _ in 0..random.range(1, 3) {
        let last = tensors.len() - tensors.len().min(4);
        let from = if random.one_in(3) { 0 } else { last };
        let tensor = tensors[random.range(from, tensors.len() - 1)];
        let source = builder.program.tensor(tensor).source;
        if let Source::State(_) = source {
            continue;
        }
        // A kept output has a place of its own, which what is not computed cannot have.
        let kept = random.one_in(4) && source == Source::Step;
        builder.output(tensor, kept);
    }
    if builder.program.outputs.is_empty() {
        let tensor = builder.unary(tensors[0]);
        builder.output(tensor, false);
    }
    builder.assign(&assigned);
    builder.program
}

/// A value for each of `states`, which something reads, made of `tensors` or one of them.
fn assignments(
    builder: &mut Builder,
    random: &mut Random,
    states: &[TensorId],
    tensors: &mut Vec<TensorId>,
) -> Vec<(TensorId, TensorId)> {
    for state in states {
        if !builder.program.steps.iter().any(|step| step.op == "compute" && step.reads.contains(state)) {
            tensors.push(builder.unary(*state));
        }
    }
    let mut assigned = Vec::new();
    for &state in states {
        let ty = &builder.program.tensor(state).ty;
        let (dtype, elements) = (ty.dtype, ty.shape.elements());
        let like = |id: &TensorId| builder.program.tensor(*id).ty == *ty;
        let alike: Vec<TensorId> = tensors.iter().copied().filter(like).collect();
        let value = match random.below(4) {
            0 => builder.compute(&[state], &[(dtype, elements)], true, None)[0],
            1 => {
                let read = random.pick(tensors);
                builder.compute(&[read], &[(dtype, elements)], true, None)[0]
            }
            _ => random.pick(&alike),
        };
        if random.one_in(2) {
            tensors.push(value);
        }
        assigned.push((state, value));
    }
    assigned
}

/// Every order with every layout, with the other options at random.
pub fn random_options(random: &mut Random) -> Vec<Options> {
    let mut all = Vec::new();
    for (_, order) in Order::ALL {
        for (_, layout) in Layout::ALL {
            all.push(Options {
                order,
                layout,
                align: random.pick(&[None, None, Some(4), Some(16)]),
                views: !random.one_in(4),
                in_place: !random.one_in(4),
                concat: !random.one_in(4),
                overlap: !random.one_in(4),
                size_classes: if random.one_in(2) { Vec::new() } else { vec![8, 24, 64] },
                effort: random.pick(&[Effort::Fast, Effort::Default]),
                ..Options::default()
            });
        }
    }
    all
}

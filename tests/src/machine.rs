//! Random layers for the kernels of a machine, to be run there against what the definition gives.

use crate::layers::{Case, QuantizedCase, conv1d, conv2d, dense, depthwise_conv2d};
use crate::operator::Arg;
use crate::random::Random;
use planner_core::arch::Arch;
use planner_core::dtype::DType;
use planner_core::emit::{Init, Struct, Value};
use planner_core::steps::Program;

/// The kernels that are told apart, by their index.
const KERNELS: [&str; 8] = [
    "conv2d_packed_i8",
    "dense_packed_i8",
    "depthwise_conv2d_packed_i8",
    "dense_direct_i8",
    "conv2d_blocked_i8",
    "dense_blocked_i8",
    "depthwise_conv2d_planes_i8",
    "dense_i8",
];

/// Layers as words, one after the other: the kernel, the units, the integers of its parameters in order, what stands
/// for a slice there being its length; the words of the slices of words, the bytes of those of bytes; argument, bytes
/// of scratch, result. A list is its length, in bytes where it is one of bytes, and its words.
#[must_use]
pub fn layers(arch: Arch, rounds: u64) -> Vec<u32> {
    let mut words = Vec::new();
    let kinds: [fn(&mut Random) -> Case; 8] = [conv2d, conv1d, depthwise_conv2d, dense, deep, wide, wider, row];
    for (seed, kind) in (0..rounds).flat_map(|round| kinds.map(|kind| (round, kind))) {
        let layer = QuantizedCase::new(&mut Random::new(12_000 + seed), kind);
        let (program, _) = layer.application().lower_for(arch).unwrap();
        if let Some(case) = case(&program, &layer) {
            words.extend(case);
        }
    }
    words
}

/// A convolution of more channels than the inner loops take at once.
fn deep(random: &mut Random) -> Case {
    sized(random, conv2d, 3, |channels| channels >= 12)
}

/// A depthwise convolution of several groups of four channels.
fn wide(random: &mut Random) -> Case {
    sized(random, depthwise_conv2d, 3, |channels| channels % 4 == 0)
}

/// A depthwise convolution of one group of eight channels or more.
fn wider(random: &mut Random) -> Case {
    sized(random, depthwise_conv2d, 3, |channels| channels >= 8)
}

/// A dense layer of one row in whole words.
fn row(random: &mut Random) -> Case {
    loop {
        let case = dense(random);
        if case.x.iter().product::<usize>() == case.w[1] && case.w[1].is_multiple_of(4) {
            return case;
        }
    }
}

/// The first of the kind whose argument has such channels.
fn sized(random: &mut Random, kind: fn(&mut Random) -> Case, axis: usize, fits: fn(usize) -> bool) -> Case {
    loop {
        let case = kind(random);
        if fits(case.x[axis]) {
            return case;
        }
    }
}

fn case(program: &Program, layer: &QuantizedCase) -> Option<Vec<u32>> {
    let step = &program.steps[0];
    let call = &step.calls[0];
    let kernel = KERNELS.iter().position(|kernel| *kernel == call.kernel)?;
    let mut lists = Lists::default();
    lists.add(&call.params, program);
    let Arg::Input(_, x) = &layer.args[0] else { return None };
    let y: Vec<u8> = layer.wanted.iter().map(|value| value.cast_unsigned()).collect();
    let mut words = vec![number(kernel), number(call.units), number(lists.integers.len())];
    words.extend(lists.integers);
    list(&mut words, lists.words.len() / 4, &lists.words);
    list(&mut words, lists.bytes.len(), &lists.bytes);
    list(&mut words, x.len(), x);
    words.push(number(step.scratch.map_or(0, |scratch| scratch.bytes)));
    list(&mut words, y.len(), &y);
    Some(words)
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap()
}

fn list(words: &mut Vec<u32>, len: usize, bytes: &[u8]) {
    words.push(number(len));
    let word = |chunk: &[u8]| u32::from_le_bytes([0, 1, 2, 3].map(|i| chunk.get(i).copied().unwrap_or(0)));
    words.extend(bytes.chunks(4).map(word));
}

/// What a structure holds.
#[derive(Default)]
struct Lists {
    integers: Vec<u32>,
    words: Vec<u8>,
    bytes: Vec<u8>,
}

impl Lists {
    fn add(&mut self, params: &Struct, program: &Program) {
        for (_, value) in &params.fields {
            match value {
                Value::Int(value) => self.integers.push(i32::try_from(*value).unwrap().cast_unsigned()),
                Value::Struct(inner) => self.add(inner, program),
                Value::Empty => self.integers.push(0),
                Value::Slice(id) => {
                    let constant = &program.statics[id.0];
                    let Init::Bytes(bytes) = &constant.init else { panic!("weights are known") };
                    let words = constant.dtype != DType::I8;
                    self.integers.push(number(if words { bytes.len() / 4 } else { bytes.len() }));
                    if words { &mut self.words } else { &mut self.bytes }.extend(bytes.iter());
                }
                other => panic!("{other:?} in {}", params.name),
            }
        }
    }
}

//! Random layers for the kernels of a machine, to be run there against what the definition gives.

use crate::build::{f32_type, flag, i8_type, ints, name, q, quantized};
use crate::interpreter::Interpreter;
use crate::layers::{
    ACTS, Case, QuantizedCase, conv1d, conv2d, dense, depthwise, depthwise_conv2d, elements, image, pool,
};
use crate::operator::{Application, Arg};
use crate::random::Random;
use crate::reference::image::{Padding, Sliding};
use planner_core::arch::Arch;
use planner_core::distances::Direction;
use planner_core::dtype::DType;
use planner_core::emit::{Init, Struct, Value};
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;
use planner_core::steps::{Program, Sharing};

/// The kernels that are told apart, by their index.
const KERNELS: [&str; 24] = [
    "conv2d_packed_i8",
    "dense_packed_i8",
    "depthwise_conv2d_packed_i8",
    "dense_direct_i8",
    "conv2d_blocked_i8",
    "dense_blocked_i8",
    "depthwise_conv2d_planes_i8",
    "dense_i8",
    "conv2d_i8",
    "add_weighted_i8",
    "conv2d_f32",
    "dense_f32",
    "depthwise_conv2d_f32",
    "depthwise_conv2d_3x3_i8",
    "max_pool2d_i8",
    "max_pool2d_u8",
    "avg_pool2d_i8",
    "avg_pool2d_u8",
    "sum_i8",
    "sum_u8",
    "mul_i8",
    "depthwise_conv2d_i8",
    "depthwise_conv2d_planes_ring_i8",
    "depthwise_conv2d_ring_i8",
];
/// Of these, those whose image may be a ring of rows.
const IMAGES: [usize; 13] = [0, 2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 21];

/// What layers a machine has kernels for.
#[derive(Clone, Copy)]
enum Kind {
    Quantized(fn(&mut Random) -> Case),
    /// The same, with results that saturate at their zero point.
    Saturating(fn(&mut Random) -> Case),
    Real(fn(&mut Random) -> Case),
    Sum,
    Product,
    Pool,
    Mean,
}

/// What every machine runs.
const QUANTIZED: [Kind; 6] = [
    Kind::Quantized(conv2d),
    Kind::Quantized(conv1d),
    Kind::Quantized(depthwise_conv2d),
    Kind::Quantized(dense),
    Kind::Quantized(deep),
    Kind::Quantized(row),
];
/// What machines with kernels of their own run besides.
const OWN: [Kind; 13] = [
    Kind::Quantized(wide),
    Kind::Quantized(wider),
    Kind::Quantized(nine),
    Kind::Saturating(nine),
    Kind::Saturating(whole),
    Kind::Real(conv2d),
    Kind::Real(conv1d),
    Kind::Real(depthwise_conv2d),
    Kind::Real(dense),
    Kind::Sum,
    Kind::Product,
    Kind::Pool,
    Kind::Mean,
];

/// Layers as words, one after the other: the kernel, the first unit and the end of the units, the integers of its
/// parameters in order, what stands for a slice there being its length; the words of the slices of words, the bytes of
/// those of bytes; arguments, bytes of scratch, result; how far from the argument the result may start at least in
/// each direction. A list is its length, in bytes where it is one of bytes, and its words. Windows of more than `most`
/// bytes are left out.
#[must_use]
pub fn layers(arch: Arch, rounds: u64, most: usize) -> Vec<u32> {
    let own = if arch == Arch::Portable { &[] } else { &OWN[..] };
    let mut words = Vec::new();
    for (seed, kind) in (0..rounds).flat_map(|round| QUANTIZED.iter().chain(own).map(move |kind| (round, *kind))) {
        let layer = Layer::new(&mut Random::new(12_000 + seed), kind);
        words.extend(layer.records(arch).into_iter().filter(|record| record.fits(most)).flat_map(Record::words));
    }
    words
}

/// An operator with its arguments.
struct Layer {
    op: &'static str,
    args: Vec<Arg>,
    attrs: Vec<(&'static str, AttrValue)>,
    quant: Option<Quant>,
}

impl Layer {
    fn new(random: &mut Random, kind: Kind) -> Self {
        match kind {
            Kind::Quantized(kind) => Self::of(QuantizedCase::new(random, kind)),
            Kind::Saturating(kind) => loop {
                let layer = QuantizedCase::new(random, kind);
                let saturates = |(_, act): &(&str, AttrValue)| ["none", "relu"].iter().any(|it| *act == name(it));
                if layer.quant.zero_point() == -128 && layer.case.attrs.iter().any(saturates) {
                    return Self::of(layer);
                }
            },
            Kind::Real(kind) => {
                let mut case = kind(random);
                case.attrs.push(("act", name(random.pick(&ACTS))));
                let (x, w) = (random.f32s(elements(&case.x)), random.f32s(elements(&case.w)));
                let mut args = vec![Arg::input(f32_type(&case.x), &x), Arg::param(f32_type(&case.w), &w)];
                if !random.one_in(4) {
                    args.push(Arg::param(f32_type(&[case.outputs()]), &random.f32s(case.outputs())));
                }
                Self { op: case.op, args, attrs: case.attrs, quant: None }
            }
            Kind::Sum => {
                let mut quant = || q(random.scale(0.02, 0.1), i32::try_from(random.int(-128, 127)).unwrap());
                let [a, b, y] = [quant(), quant(), quant()];
                let count = random.size(1, 70);
                let args = [a, b].map(|quant| Arg::input(i8_type(&[count], quant), &random.i8s(count))).to_vec();
                let attrs = vec![("act", name(random.pick(&ACTS)))];
                Self { op: random.pick(&["add", "sub"]), args, attrs, quant: Some(y) }
            }
            Kind::Product => {
                let mut quant = || q(random.scale(0.02, 0.1), i32::try_from(random.int(-128, 127)).unwrap());
                let [a, b, y] = [quant(), quant(), quant()];
                // From products that vanish to those that saturate.
                let y = q(y.scale(0) * random.scale(0.02, 20.0), y.zero_point());
                let dims = [random.size(1, 5), random.size(1, 40)];
                let args = random.pick(&[[&dims[..], &dims[..]], [&dims, &dims[1..]], [&dims, &[1]], [&[1], &dims]]);
                let args = [(a, args[0]), (b, args[1])];
                let args = args.map(|(quant, dims)| Arg::input(i8_type(dims, quant), &random.i8s(elements(dims))));
                let attrs = vec![("act", name(random.pick(&ACTS)))];
                Self { op: "mul", args: args.to_vec(), attrs, quant: Some(y) }
            }
            Kind::Pool => {
                let (dims, mut attrs) = if random.one_in(4) {
                    // More pixels than a sum of 16 bits holds.
                    let dims = [1, 17, random.size(16, 18), random.size(1, 12)];
                    (dims, vec![("filter", ints(&[17, 16])), ("stride", ints(&[1, 1]))])
                } else {
                    let (sliding, attrs) = pool(random);
                    (image(&sliding), attrs)
                };
                attrs.push(("act", name(random.pick(&ACTS))));
                let args = vec![bytes(random, &dims)];
                Self { op: random.pick(&["max_pool2d", "avg_pool2d"]), args, attrs, quant: None }
            }
            Kind::Mean => {
                // Now and then more pixels than a sum of 16 bits holds, and channels that do not lie side by side.
                let sizes = if random.one_in(4) { [16, 24] } else { [1, 6] };
                let mut size = || random.size(sizes[0], sizes[1]);
                let [height, width] = [size(), size()];
                let dims = [random.size(1, 2), height, width, random.size(1, 12)];
                let axes: &[i64] = random.pick(&[&[1, 2], &[1, 2], &[1], &[0, 2], &[3]]);
                let attrs = vec![("axes", ints(axes)), ("keep_dims", flag(true))];
                let args = vec![bytes(random, &dims)];
                Self { op: random.pick(&["mean", "sum"]), args, attrs, quant: Some(q(random.scale(0.05, 2.0), 5)) }
            }
        }
    }

    fn of(QuantizedCase { case, args, quant, .. }: QuantizedCase) -> Self {
        Self { op: case.op, args, attrs: case.attrs, quant: Some(quant) }
    }

    /// What the board is told of it, with each kernel that it could have: as it is, and with its second picture in a
    /// ring of rows.
    fn records(&self, arch: Arch) -> Vec<Record> {
        let application = Application { op: self.op, args: &self.args, attrs: &self.attrs, quant: self.quant.clone() };
        let (portable, inputs) = application.lower().unwrap();
        let y = Interpreter::new(&portable, &[]).run_apart(&inputs).remove(0);
        let records = application.programs(arch).into_iter().filter_map(|program| Record::new(&program, &inputs, &y));
        records.flat_map(|record| [record.ring(), Some(record)]).flatten().collect()
    }
}

/// An input of i8 or u8, now and then near an end of what they hold.
fn bytes(random: &mut Random, dims: &[usize]) -> Arg {
    let quant = q(random.scale(0.02, 0.1), i32::try_from(random.int(0, 127)).unwrap());
    let mut values = random.i8s(elements(dims));
    if random.one_in(3) {
        let end = random.pick(&[i8::MIN, i8::MAX & !3, -4]);
        values.iter_mut().for_each(|value| *value = end | *value & 3);
    }
    Arg::input(quantized(random.pick(&[DType::I8, DType::U8]), dims, quant), &values)
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

/// A depthwise convolution of three by three taps.
fn nine(random: &mut Random) -> Case {
    loop {
        let case = depthwise_conv2d(random);
        if case.w[1..] == [3, 3, case.x[3]] {
            return case;
        }
    }
}

/// A depthwise convolution of three by three taps, of which at most one column and one row lie outside the image at
/// either end.
fn whole(random: &mut Random) -> Case {
    let sizes = [(); 2].map(|()| random.size(2, 9));
    // Explicit padding goes top, bottom, left, right; an image of two pixels has both.
    let [top, bottom, left, right] = [0, 0, 1, 1].map(|side| random.size(usize::from(sizes[side] < 3), 1));
    let stride = random.size(1, 2);
    let sliding = Sliding {
        batch: random.size(1, 2),
        image: sizes,
        channels: random.size(1, 9),
        filter: [3, 3],
        stride: [stride, stride],
        dilation: [1, 1],
        padding: Padding::Explicit([top, bottom, left, right]),
    };
    depthwise(&sliding, 1)
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

/// A call of a kernel.
#[derive(Clone)]
struct Record {
    kernel: usize,
    /// The first unit and the end.
    units: [usize; 2],
    params: Lists,
    /// The arguments, one after the other.
    x: Vec<u8>,
    scratch: usize,
    y: Vec<u8>,
    /// Forward and backward.
    distances: [Option<usize>; 2],
}

impl Record {
    /// Of a program of one step, if its kernel is one of those.
    fn new(program: &Program, inputs: &[Vec<u8>], y: &[u8]) -> Option<Self> {
        let step = &program.steps[0];
        let call = &step.calls[0];
        let kernel = KERNELS.iter().position(|kernel| *kernel == call.kernel)?;
        let mut params = Lists::default();
        params.add(&call.params, program);
        let distance = |wanted: Direction| {
            step.sharing
                .iter()
                .find_map(|rule| match rule {
                    Sharing::Overlap { direction, distances, .. } if *direction == wanted => Some(distances.least()),
                    Sharing::InPlace { arg: 0, .. } => Some(0),
                    _ => None,
                })
                .filter(|least| *least < usize::MAX)
        };
        Some(Self {
            kernel,
            units: [0, call.units],
            params,
            x: inputs.concat(),
            scratch: step.scratch.map_or(0, |scratch| scratch.bytes),
            y: y.to_vec(),
            distances: [Direction::Forward, Direction::Backward].map(distance),
        })
    }

    /// The second of two pictures alone, its rows in a ring of one row more that begins again behind the first of them.
    fn ring(&self) -> Option<Self> {
        let [height, output] = [0, 1].map(|at| self.params.integers.get(at).map(|word| *word as usize));
        let (height, output) = (height?, output?);
        if !IMAGES.contains(&self.kernel) || self.units != [0, 2 * output] {
            return None;
        }
        let mut ring = self.clone();
        ring.units = [output, 2 * output];
        // `held` of the argument's rows and of the result's.
        (ring.params.integers[13], ring.params.integers[15]) = (number(height + 1), number(output));
        let row = self.x.len() / (2 * height);
        let slot = |slot: usize| if slot == height { height } else { height + 1 + slot };
        let last = (height - 1) * row..height * row;
        let rows = (0..=height).flat_map(|at| {
            let from = slot(at) * row;
            // One slot holds no row of the picture.
            self.x.get(from..from + row).unwrap_or(&self.x[last.clone()]).to_vec()
        });
        ring.x = rows.collect();
        ring.y = self.y[self.y.len() / 2..].to_vec();
        ring.distances = [None; 2];
        Some(ring)
    }

    /// Whether its windows have at most so many bytes each, and lie together in that.
    fn fits(&self, most: usize) -> bool {
        let apart = self.distances.iter().flatten().max().unwrap_or(&0);
        let sizes =
            [self.params.words.len(), self.params.bytes.len(), self.scratch, apart + self.x.len().max(self.y.len())];
        sizes.into_iter().all(|size| size <= most)
    }

    fn words(self) -> Vec<u32> {
        let [start, end] = self.units;
        let mut words = [self.kernel, start, end, self.params.integers.len()].map(number).to_vec();
        words.extend(self.params.integers);
        list(&mut words, self.params.words.len() / 4, &self.params.words);
        list(&mut words, self.params.bytes.len(), &self.params.bytes);
        list(&mut words, self.x.len(), &self.x);
        words.push(number(self.scratch));
        list(&mut words, self.y.len(), &self.y);
        words.extend(self.distances.map(|distance| distance.map_or(u32::MAX, number)));
        words
    }
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
#[derive(Clone, Default)]
struct Lists {
    integers: Vec<u32>,
    words: Vec<u8>,
    bytes: Vec<u8>,
}

impl Lists {
    fn add(&mut self, params: &Struct, program: &Program) {
        for (_, value) in &params.fields {
            match value {
                Value::F32(value) => self.integers.push(value.to_bits()),
                Value::Array(values) => {
                    let fields = values.iter().map(|value| ("", value.clone())).collect();
                    self.add(&Struct { name: params.name, fields }, program);
                }
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
                Value::Bool(value) => self.integers.push(u32::from(*value)),
            }
        }
    }
}

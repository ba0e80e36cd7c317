//! Random layers of `conv2d`, `conv1d`, `depthwise_conv2d`, `dense` and pools.

use crate::build::{i8_type, int, ints, name, q, shape};
use crate::operator::{Application, Arg};
use crate::random::Random;
use crate::reference::image::{Padding, Sliding};
use crate::reference::layer::{LayerI8, Products};
use planner_core::model::TensorType;
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;

/// Activations.
pub const ACTS: [&str; 4] = ["none", "relu", "relu6", "relu_n1_to_1"];

/// A layer with all that its definition needs.
#[derive(Debug)]
pub struct Case {
    /// The operator's name.
    pub op: &'static str,
    /// The shape of the argument.
    pub x: Vec<usize>,
    /// The shape of the weights.
    pub w: Vec<usize>,
    /// The dimension of output channels in the weights.
    pub axis: usize,
    /// Which elements are multiplied for each result.
    pub products: Products,
    /// The operator's attributes.
    pub attrs: Vec<(&'static str, AttrValue)>,
}

impl Case {
    /// Channels of the result.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.w[self.axis]
    }
}

fn sides(values: [usize; 2]) -> AttrValue {
    ints(&values.map(|v| i64::try_from(v).unwrap()))
}

fn padding(padding: Padding) -> AttrValue {
    match padding {
        Padding::Same => name("same"),
        Padding::Valid => name("valid"),
        Padding::Explicit(sides) => ints(&sides.map(|v| i64::try_from(v).unwrap())),
    }
}

/// A filter over a small image; each part of it is often plain.
fn sliding(random: &mut Random, columns: usize) -> Sliding {
    loop {
        let two = |random: &mut Random, most: usize| [random.size(1, most), random.size(1, most.min(columns))];
        let often_one = |random: &mut Random| if random.one_in(2) { [1, 1] } else { two(random, 3) };
        let sliding = Sliding {
            batch: if random.one_in(4) { 2 } else { 1 },
            image: [random.size(1, 9), random.size(1, 9.min(columns))],
            channels: random.size(1, 9),
            filter: two(random, 4),
            stride: often_one(random),
            dilation: often_one(random),
            padding: match random.size(0, 2) {
                0 => Padding::Same,
                1 => Padding::Valid,
                _ => {
                    let beside = if columns == 1 { 0 } else { 3 };
                    Padding::Explicit([
                        random.size(0, 3),
                        random.size(0, 3),
                        random.size(0, beside),
                        random.size(0, beside),
                    ])
                }
            },
        };
        if sliding.fits() {
            return sliding;
        }
    }
}

/// A layer of `conv2d`.
pub fn conv2d(random: &mut Random) -> Case {
    let mut sliding = sliding(random, usize::MAX);
    if random.one_in(5) {
        sliding = Sliding { filter: [1, 1], stride: [1, 1], padding: Padding::Valid, ..sliding };
    }
    let groups = if random.one_in(2) { 1 } else { random.size(1, 3) };
    sliding.channels = groups * random.size(1, 5);
    let outputs = groups * random.size(1, 6);
    let [height, width] = sliding.image;
    Case {
        op: "conv2d",
        x: vec![sliding.batch, height, width, sliding.channels],
        w: vec![outputs, sliding.filter[0], sliding.filter[1], sliding.channels / groups],
        axis: 0,
        products: sliding.conv2d(outputs, groups),
        attrs: vec![
            ("stride", sides(sliding.stride)),
            ("dilation", sides(sliding.dilation)),
            ("padding", padding(sliding.padding)),
            ("groups", int(i64::try_from(groups).unwrap())),
        ],
    }
}

/// A layer of `conv1d`.
pub fn conv1d(random: &mut Random) -> Case {
    let sliding = sliding(random, 1);
    let outputs = random.size(1, 6);
    Case {
        op: "conv1d",
        x: vec![sliding.batch, sliding.image[0], 1, sliding.channels],
        w: vec![outputs, sliding.filter[0], sliding.channels],
        axis: 0,
        products: sliding.conv2d(outputs, 1),
        attrs: vec![
            ("stride", int(i64::try_from(sliding.stride[0]).unwrap())),
            ("dilation", int(i64::try_from(sliding.dilation[0]).unwrap())),
            ("padding", padding(sliding.padding)),
        ],
    }
}

/// A layer of `depthwise_conv2d`.
pub fn depthwise_conv2d(random: &mut Random) -> Case {
    let mut sliding = sliding(random, usize::MAX);
    sliding.channels = random.size(1, 20);
    let multiplier = if random.one_in(2) { 1 } else { random.size(1, 12) };
    depthwise(&sliding, multiplier)
}

/// A layer of `depthwise_conv2d` with so many channels that a ring of a few of them is small beside its rows, and a
/// result of about the size of its image. Some have a row that depends on padding alone.
pub fn wide_depthwise_conv2d(random: &mut Random) -> Case {
    let channels = random.size(16, 30);
    let sliding = if random.one_in(4) {
        let padding = Padding::Explicit([2, 0, 0, 0]);
        Sliding { batch: 1, image: [8, 10], channels, filter: [2, 3], stride: [1, 1], dilation: [1, 1], padding }
    } else {
        let (taps, dilation) = (random.size(2, 4), random.size(1, 2));
        let around = (taps - 1) * dilation;
        let before = random.size(0, around);
        Sliding {
            batch: random.size(1, 2),
            image: [random.size(around + 2, 9), random.size(5, 10)],
            channels,
            filter: [taps, 3],
            stride: [1, 1],
            dilation: [dilation, 1],
            padding: Padding::Explicit([before, around - before, 1, 1]),
        }
    };
    depthwise(&sliding, 1)
}

/// The layer of `depthwise_conv2d` that slides so, with so many results a channel.
#[must_use]
pub fn depthwise(sliding: &Sliding, multiplier: usize) -> Case {
    Case {
        op: "depthwise_conv2d",
        x: image(sliding).to_vec(),
        w: vec![1, sliding.filter[0], sliding.filter[1], sliding.channels * multiplier],
        axis: 3,
        products: sliding.depthwise_conv2d(multiplier),
        attrs: vec![
            ("stride", sides(sliding.stride)),
            ("dilation", sides(sliding.dilation)),
            ("padding", padding(sliding.padding)),
        ],
    }
}

/// A layer of `dense`.
pub fn dense(random: &mut Random) -> Case {
    let mut x: Vec<usize> = (0..random.size(0, 3)).map(|_| random.size(1, 3)).collect();
    let (rows, inputs, outputs) = (x.iter().product::<usize>(), random.size(1, 40), random.size(1, 10));
    x.push(inputs);
    let product = |i: usize| (0..inputs).map(|k| [i / outputs * inputs + k, i % outputs * inputs + k]).collect();
    Case {
        op: "dense",
        x,
        w: vec![outputs, inputs],
        axis: 0,
        products: (0..rows * outputs).map(product).collect(),
        attrs: Vec::new(),
    }
}

/// A pool whose every window has an element, and its attributes.
pub fn pool(random: &mut Random) -> (Sliding, Vec<(&'static str, AttrValue)>) {
    loop {
        let filter = [random.size(1, 4), random.size(1, 4)];
        let stride = [random.size(1, 3), random.size(1, 3)];
        let explicit = [random.size(0, 2), random.size(0, 2), random.size(0, 2), random.size(0, 2)];
        let padding = random.pick(&[Padding::Same, Padding::Valid, Padding::Explicit(explicit)]);
        let sliding = Sliding {
            batch: random.size(1, 2),
            image: [random.size(1, 9), random.size(1, 9)],
            channels: random.size(1, 20),
            filter,
            stride,
            dilation: [1, 1],
            padding,
        };
        if sliding.fits() && sliding.pool().iter().all(|window| !window.is_empty()) {
            return (
                sliding,
                vec![("filter", sides(filter)), ("stride", sides(stride)), ("padding", self::padding(padding))],
            );
        }
    }
}

/// The shape of the image.
#[must_use]
pub fn image(sliding: &Sliding) -> [usize; 4] {
    [sliding.batch, sliding.image[0], sliding.image[1], sliding.channels]
}

/// Elements of a shape.
#[must_use]
pub fn elements(dims: &[usize]) -> usize {
    dims.iter().product()
}

/// A quantisation of weights, each by a `scale` of what is drawn: per tensor, or per channel of `axis`.
pub fn weight_quant(random: &mut Random, axis: usize, channels: usize, scale: impl Fn(f32) -> f32) -> Quant {
    let per_channel = random.one_in(2);
    let count = if per_channel { channels } else { 1 };
    let scales: Vec<f32> = (0..count).map(|_| scale(random.scale(0.001, 0.05))).collect();
    Quant::new(scales, vec![0; count], per_channel.then_some(axis)).unwrap()
}

/// A layer of i8 with its numbers.
#[derive(Debug)]
pub struct QuantizedCase {
    /// The layer.
    pub case: Case,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// The quantisation of the result.
    pub quant: Quant,
    /// What its definition gives.
    pub wanted: Vec<i8>,
}

impl QuantizedCase {
    /// A layer of the kind of `case` with random numbers.
    pub fn new(random: &mut Random, case: fn(&mut Random) -> Case) -> Self {
        let mut case = case(random);
        let act = random.pick(&ACTS);
        case.attrs.push(("act", name(act)));
        let mut zero_point = || i32::try_from(random.int(-128, 127)).unwrap();
        let (x_zero, y_zero) = (zero_point(), zero_point());
        // As converters give it to results that are not negative.
        let y_zero = if random.one_in(3) { -128 } else { y_zero };
        // From results that differ by ones to results that saturate; now and then sums leave 24 bits by their bias.
        let wide = random.one_in(8);
        // Of small weights and scales that are powers of two: many sums lie halfway between results.
        let halves = !wide && random.one_in(4);
        let scale = |scale: f32| if halves { f32::from_bits(scale.to_bits() & 0x7f80_0000) } else { scale };
        let x_quant = q(scale(random.scale(0.005, 0.2)), if random.one_in(4) { 0 } else { x_zero });
        let w_quant = weight_quant(random, case.axis, case.outputs(), scale);
        let steps = match (wide, halves) {
            (true, _) => random.scale(20_000.0, 300_000.0),
            (_, true) => scale(random.scale(2.0, 64.0)),
            _ => random.scale(0.2, 5000.0),
        };
        let y_quant = q(x_quant.scale(0) * w_quant.scale(0) * steps, y_zero);
        let (x, mut w) = (random.i8s(elements(&case.x)), random.i8s(elements(&case.w)));
        if !random.one_in(4) {
            // As converters make them.
            w.iter_mut().for_each(|w| *w = (*w).max(-127));
        }
        if halves {
            w.iter_mut().for_each(|w| *w >>= 5);
        }
        let most = match (wide, halves) {
            (true, _) => 1 << 24,
            (_, true) => 300,
            _ => 20_000,
        };
        let bias: Option<Vec<i32>> = (!random.one_in(4))
            .then(|| (0..case.outputs()).map(|_| i32::try_from(random.int(-most, most)).unwrap()).collect());
        let mut args =
            vec![Arg::input(i8_type(&case.x, x_quant.clone()), &x), Arg::param(i8_type(&case.w, w_quant.clone()), &w)];
        let bias_type = TensorType::plain(planner_core::dtype::DType::I32, shape(&[case.outputs()]));
        args.extend(bias.as_ref().map(|bias| Arg::param(bias_type, bias)));
        let single_product = case.op == "dense" && w_quant.scales().len() == 1;
        let layer = LayerI8 { x: &x_quant, w: &w_quant, y: &y_quant, single_product };
        let zeros = vec![0; case.outputs()];
        let wanted = layer.results(&case.products, &x, &w, Some(bias.as_deref().unwrap_or(&zeros)), act);
        Self { case, args, quant: y_quant, wanted }
    }

    /// It as an application of its operator.
    #[must_use]
    pub fn application(&self) -> Application<'_> {
        Application { op: self.case.op, args: &self.args, attrs: &self.case.attrs, quant: Some(self.quant.clone()) }
    }
}

//! Random layers by these kernels and by the portable ones.

use super::LANES;
use crate::kernels::conv::{self, Conv, ConvLayer};
use crate::kernels::dense::{self, Dense, DenseLayer};
use crate::kernels::depthwise::{self, Depthwise, DepthwiseLayer};
use crate::kernels::{Requantize, Rows, Slide, Taps, Units, WeightsI8};
use core::cell::Cell;
use core::ops::Range;
use std::vec::Vec;

struct Random(u64);

impl Random {
    fn next(&mut self) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i32
    }

    fn of(&mut self, range: Range<usize>) -> usize {
        range.start + self.next() as usize % (range.end - range.start)
    }

    fn bytes(&mut self, len: usize) -> Vec<i8> {
        let ends = self.of(0..8) == 0;
        (0..len).map(|_| if ends { [-128, 127][self.of(0..2)] } else { self.next() as i8 }).collect()
    }

    fn taps(&mut self) -> Taps {
        let (taps, stride, dilation) = (self.of(1..6), self.of(1..3), if self.of(0..4) == 0 { 2 } else { 1 });
        let reach = (taps - 1) * dilation + 1;
        let before = self.of(0..reach);
        let input = reach.saturating_sub(before).max(1) + self.of(0..6);
        let output = (input + before + self.of(0..reach)).saturating_sub(reach) / stride + 1;
        Taps { input, output, taps, stride, dilation, before }
    }

    /// Over pixels of `inputs` channels, with gaps between results of `outputs`.
    fn slide(&mut self, inputs: usize, outputs: usize) -> Slide {
        let (y, x) = (self.taps(), self.taps());
        let pixel = outputs + self.of(0..3);
        let from = Rows { stride: x.input * inputs, held: y.input };
        Slide { y, x, from, to: Rows { stride: x.output * pixel, held: y.output }, pixel }
    }
}

/// What a quantised layer of `channels` has.
struct Numbers {
    weights: Vec<i8>,
    bias: Vec<i32>,
    multipliers: Vec<i32>,
    shifts: Vec<i8>,
    zero_points: [i32; 2],
    bounds: [i32; 2],
}

impl Numbers {
    fn new(random: &mut Random, weights: usize, channels: usize) -> Self {
        let each = if random.of(0..3) == 0 { 1 } else { channels };
        Self {
            weights: random.bytes(weights),
            bias: (0..if random.of(0..5) == 0 { 0 } else { channels }).map(|_| random.next() >> 12).collect(),
            multipliers: (0..each).map(|_| random.next() | 1 << 30).collect(),
            shifts: (0..each).map(|_| random.of(0..14) as i8 - 12).collect(),
            zero_points: [0, 1].map(|_| random.of(0..256) as i32 - 128),
            bounds: if random.of(0..2) == 0 { [-128, 127] } else { [-90, 60] },
        }
    }

    fn layer(&self) -> WeightsI8<'_> {
        let [zero_point, to] = self.zero_points;
        let [min, max] = self.bounds;
        let result = Requantize { multipliers: &self.multipliers, shifts: &self.shifts, zero_point: to, min, max };
        WeightsI8 { weights: &self.weights, bias: &self.bias, zero_point, result }
    }
}

/// Both over `units` from the same memory, at random places in it.
fn compare(
    random: &mut Random,
    sizes: [usize; 2],
    units: usize,
    fast: impl Fn(&[Cell<i8>], &[Cell<i8>], Units) -> bool,
    plain: impl Fn(&[Cell<i8>], &[Cell<i8>], Units),
) -> bool {
    let [from, to] = [random.of(0..9), random.of(0..9)];
    let x = random.bytes(from + sizes[0]);
    // Without a guard where memory is watched for what is beyond its end.
    let guard = if random.of(0..2) == 0 { 16 } else { 0 };
    let mut results = [random.bytes(to + sizes[1] + guard), Vec::new()];
    results[1] = results[0].clone();
    let [mut one, mut other] = results;
    let (mut given, mut same) = (x.clone(), x);
    let x = &Cell::from_mut(&mut given[..]).as_slice_of_cells()[from..];
    let y = &Cell::from_mut(&mut one[..]).as_slice_of_cells()[to..to + sizes[1]];
    // In two parts, as a network may run it.
    let middle = random.of(0..units + 1);
    let of = if random.of(0..2) == 0 { Units::forward } else { Units::backward };
    if !fast(x, y, of(0..middle)) || !fast(x, y, of(middle..units)) {
        return false;
    }
    let x = &Cell::from_mut(&mut same[..]).as_slice_of_cells()[from..];
    let y = &Cell::from_mut(&mut other[..]).as_slice_of_cells()[to..to + sizes[1]];
    plain(x, y, of(0..units));
    assert_eq!(one, other);
    assert_eq!(given, same);
    true
}

/// Fails if fewer than half of the rounds took the kernels, unless the machine has none.
fn rounds(mut round: impl FnMut(&mut Random) -> bool) {
    let taken = (0..600).filter(|seed| round(&mut Random(*seed))).count();
    assert!(taken > 300 || !std::is_x86_feature_detected!("avx2"), "{taken} of 600 layers");
}

#[test]
fn convolutions() {
    rounds(|random| {
        let (inputs, outputs) = (random.of(1..20), random.of(1..20));
        let slide = random.slide(inputs, outputs);
        let shape = Conv { slide, groups: 1, inputs, outputs };
        let numbers = Numbers::new(random, slide.y.taps * slide.x.taps * inputs * outputs, outputs);
        let p = ConvLayer { shape, layer: numbers.layer() };
        let sizes = [slide.from.stride * slide.y.input, slide.to.stride * slide.y.output];
        let plain = |x: &[Cell<i8>], y: &[Cell<i8>], units| conv::conv2d(&p.shape, &p.layer, x, y, units);
        compare(random, sizes, slide.y.output, |x, y, units| super::conv2d_i8(&p, x, y, units), plain)
    });
}

#[test]
fn depthwise_convolutions() {
    rounds(|random| {
        let channels = LANES * random.of(1..5);
        let slide = random.slide(channels, channels);
        let shape = Depthwise { slide, channels, multiplier: 1 };
        let numbers = Numbers::new(random, slide.y.taps * slide.x.taps * channels, channels);
        let p = DepthwiseLayer { shape, layer: numbers.layer() };
        let sizes = [slide.from.stride * slide.y.input, slide.to.stride * slide.y.output];
        let plain = |x: &[Cell<i8>], y: &[Cell<i8>], units| depthwise::depthwise(&p.shape, &p.layer, x, y, units);
        compare(random, sizes, slide.y.output, |x, y, units| super::depthwise_conv2d_i8(&p, x, y, units), plain)
    });
}

#[test]
fn dense_layers() {
    rounds(|random| {
        let (rows, inputs, outputs) = (random.of(1..5), random.of(1..90), random.of(1..30));
        let [from, to] = [inputs, outputs].map(|stride| Rows { stride, held: rows });
        let numbers = Numbers::new(random, inputs * outputs, outputs);
        let p = DenseLayer { shape: Dense { inputs, outputs, from, to }, layer: numbers.layer() };
        let plain = |x: &[Cell<i8>], y: &[Cell<i8>], units| dense::dense(&p.shape, &p.layer, x, y, units);
        compare(random, [rows * inputs, rows * outputs], rows, |x, y, units| super::dense_i8(&p, x, y, units), plain)
    });
}

//! Windows that hold only a few rows of an image, as a ring, give the results of whole images.

use std::cell::Cell;
use waterline::kernels::{
    Clamp, Conv, ConvF32, Depthwise, DepthwiseI8, Pool, PoolInt, Requantize, Rows, Slide, Taps, Units, WeightsF32,
    WeightsI8, avg_pool2d_i8, conv2d_f32, depthwise_conv2d_i8, depthwise_conv2d_ring_i8, max_pool2d_i8,
};
use waterline_tests::random::Random;

const HEIGHT: usize = 9;
const WIDTH: usize = 5;
const CHANNELS: usize = 6;

/// Three rows of taps, two rows apart, with padding around: nine rows give nine.
fn slide(from: Rows, to: Rows) -> Slide {
    let taps = |input| Taps { input, output: input, taps: 3, stride: 1, dilation: 2, before: 2 };
    Slide { y: taps(HEIGHT), x: taps(WIDTH), from, to, pixel: CHANNELS }
}

const WHOLE: Rows = Rows { stride: WIDTH * CHANNELS, held: HEIGHT };

/// Runs a kernel row by row over rings of few rows, and over whole images: the same results.
fn same_results<T: Copy + Default + PartialEq + std::fmt::Debug>(
    x: &[T],
    kernel: impl Fn(Slide, &[Cell<T>], &[Cell<T>], Units),
) {
    let mut whole = vec![T::default(); x.len()];
    kernel(
        slide(WHOLE, WHOLE),
        &cells(x),
        Cell::from_mut(&mut whole[..]).as_slice_of_cells(),
        Units::forward(0..HEIGHT),
    );

    // A row depends on two rows before and two after it; a result is taken away at once.
    let (from, to) = (Rows { held: 5, ..WHOLE }, Rows { held: 2, ..WHOLE });
    let ring = vec![Cell::new(T::default()); from.held * from.stride];
    let result = vec![Cell::new(T::default()); to.held * to.stride];
    let mut filled = 0;
    for row in 0..HEIGHT {
        while filled < HEIGHT.min(row + 3) {
            for (i, value) in x[filled * WHOLE.stride..][..WHOLE.stride].iter().enumerate() {
                ring[filled % from.held * from.stride + i].set(*value);
            }
            filled += 1;
        }
        kernel(slide(from, to), &ring, &result, Units::forward(row..row + 1));
        let got = &result[row % to.held * to.stride..][..to.stride];
        let wanted = &whole[row * WHOLE.stride..][..WHOLE.stride];
        assert!(got.iter().zip(wanted).all(|(got, wanted)| got.get() == *wanted), "row {row}");
    }
}

fn cells<T: Copy>(values: &[T]) -> Vec<Cell<T>> {
    values.iter().map(|value| Cell::new(*value)).collect()
}

#[test]
fn conv2d_reads_and_writes_rings() {
    let random = &mut Random::new(1);
    let (x, weights) = (random.f32s(HEIGHT * WIDTH * CHANNELS), random.f32s(CHANNELS * 9 * CHANNELS));
    let result = Clamp { min: f32::NEG_INFINITY, max: f32::INFINITY };
    let layer = WeightsF32 { weights: &weights, bias: &[], result };
    same_results(&x, |slide, x, y, units| {
        let shape = Conv { slide, groups: 1, inputs: CHANNELS, outputs: CHANNELS };
        conv2d_f32(&ConvF32 { shape, layer }, x, y, units);
    });
}

#[test]
fn depthwise_conv2d_reads_and_writes_rings() {
    let random = &mut Random::new(2);
    let (x, weights) = (random.i8s(HEIGHT * WIDTH * CHANNELS), random.i8s(9 * CHANNELS));
    let result = Requantize { multipliers: &[1 << 30], shifts: &[-8], zero_point: 3, min: -128, max: 127 };
    let layer = WeightsI8 { weights: &weights, bias: &[], zero_point: 7, result };
    same_results(&x, |slide, x, y, units| {
        let shape = Depthwise { slide, channels: CHANNELS, multiplier: 1 };
        depthwise_conv2d_i8(&DepthwiseI8 { shape, layer }, x, y, units);
    });
}

/// Whatever the padding: rows of the result may depend on nothing else.
#[test]
fn depthwise_conv2d_in_a_ring_is_depthwise_conv2d() {
    let random = &mut Random::new(4);
    let (x, weights) = (random.i8s(2 * HEIGHT * WIDTH * CHANNELS), random.i8s(9 * CHANNELS));
    let result = Requantize { multipliers: &[1 << 30], shifts: &[-8], zero_point: 3, min: -128, max: 127 };
    for (taps, dilation, stride) in [(1, 1, 1), (2, 1, 1), (3, 1, 2), (2, 3, 1), (3, 2, 1), (2, 1, 4)] {
        let extent = (taps - 1) * dilation + 1;
        for (before, after) in [(0, 0), (1, 1), (extent, 0), (0, extent), (extent + 2, extent + 2)] {
            let output = (before + HEIGHT + after - extent) / stride + 1;
            let y = Taps { input: HEIGHT, output, taps, stride, dilation, before };
            let x_taps = Taps { input: WIDTH, output: WIDTH, taps: 3, stride: 1, dilation: 1, before: 1 };
            let rows = |height| Rows { held: 2 * height, ..WHOLE };
            let slide = Slide { y, x: x_taps, from: rows(HEIGHT), to: rows(output), pixel: CHANNELS };
            let shape = Depthwise { slide, channels: CHANNELS, multiplier: 1 };
            let layer = WeightsI8 { weights: &weights[..3 * taps * CHANNELS], bias: &[], zero_point: 7, result };
            let [wanted, forward, backward] = [0; 3].map(|_| vec![Cell::new(0); 2 * output * WIDTH * CHANNELS]);
            let params = DepthwiseI8 { shape, layer };
            depthwise_conv2d_i8(&params, &cells(&x)[..], &wanted[..], Units::forward(0..2 * output));
            let ring = || vec![Cell::new(0); extent.min(HEIGHT) * WIDTH * 4];
            let units = CHANNELS / 4 + CHANNELS % 4;
            depthwise_conv2d_ring_i8(&params, &cells(&x)[..], &forward[..], &ring()[..], Units::forward(0..units));
            depthwise_conv2d_ring_i8(&params, &cells(&x)[..], &backward[..], &ring()[..], Units::backward(0..units));
            assert!(forward == wanted && backward == wanted, "{slide:?}");
        }
    }
}

#[test]
fn pools_read_and_write_rings() {
    let x = Random::new(3).i8s(HEIGHT * WIDTH * CHANNELS);
    same_results(&x, |slide, x, y, units| {
        let shape = Pool { slide, channels: CHANNELS };
        avg_pool2d_i8(&PoolInt { shape, min: -128, max: 127 }, x, y, units);
    });
    same_results(&x, |slide, x, y, units| {
        let shape = Pool { slide, channels: CHANNELS };
        max_pool2d_i8(&PoolInt { shape, min: -128, max: 127 }, x, y, units);
    });
}

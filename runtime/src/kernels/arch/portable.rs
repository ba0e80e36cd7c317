//! What the machines' functions compute.

mod blocked;
mod filter3x3;
mod planes;
mod pool;

pub(in crate::kernels) use blocked::{Multiply, copy, fill_bytes};
pub(in crate::kernels) use filter3x3::filter3x3;
pub(in crate::kernels) use planes::{filter_planes, spread};
#[cfg(waterline_arch = "dsp")]
pub(in crate::kernels) use pool::sum_one;
pub(in crate::kernels) use pool::{max_i8, max_u8, mean_i8, mean_u8, sum_i8, sum_u8};

use super::{Pairs, Run, Runs};
use crate::kernels::add_weighted::AddWeightedI8;
use crate::kernels::fixed_point::multiply as requantized;
use crate::kernels::packed::{DEPTHWISE_WORDS, LANES, PackedI8, QUAD_WORDS, Window};
use crate::kernels::{Elements, Sink};
use core::ops::Range;

/// The pair of values that element `index` of a run of `len` belongs to, and whether it is the upper one.
///
/// Elements 0, 1, 2 and 3 of four lie as the pairs 0 with 2 and 1 with 3, which takes a machine two instructions;
/// two at the end are a pair.
fn place(index: usize, len: usize) -> (usize, usize) {
    let (first, lane) = (index & !3, index & 3);
    if len - first == 2 { (first / 2, lane) } else { (first / 2 + (lane & 1), lane >> 1) }
}

/// Writes elements of runs, the first at `from` in `x`, as pairs of 16 bits to every `step`-th word of `columns` from
/// `at` on.
pub(in crate::kernels) fn widen(
    runs: &Runs,
    x: impl Elements<i8>,
    from: usize,
    columns: impl Sink<i32>,
    at: usize,
    step: usize,
) {
    for run in 0..runs.count {
        let start = from + run * runs.stride;
        for (index, value) in (runs.first..).zip(x.part(start..start + runs.len).values()) {
            let (pair, upper) = place(index, runs.whole);
            let word = at + run * runs.words + pair * step;
            let (value, other) = (i32::from(value), columns.at(word));
            columns.put(word, if upper == 0 { value & 0xffff | other & !0xffff } else { other & 0xffff | value << 16 });
        }
    }
}

/// The words of `range`, whose halves become `value`.
pub(in crate::kernels) fn fill(columns: impl Sink<i32>, range: Range<usize>, value: i32) {
    for word in range {
        columns.put(word, value & 0xffff | value << 16);
    }
}

/// All channels of the pixel whose widened window is in `columns`, stored from `to` on.
pub(in crate::kernels) fn multiply(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: usize) {
    pixel(p, |pair| [0, 1].map(|upper| half(columns.at(pair), upper)), y, to);
}

/// As [`multiply`] of the pixel whose window is `x`, a multiple of four elements.
pub(in crate::kernels) fn multiply_row(p: &PackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, to: usize) {
    let pair = |pair: usize| {
        let low = pair / 2 * 4 + pair % 2;
        [low, low + 2].map(|index| i32::from(x.at(index)))
    };
    pixel(p, pair, y, to);
}

/// As [`multiply`] of pairs of pixels whose columns lie word by word in turn. Their whole runs, if there are any, are
/// widened first, one pair after the other.
pub(in crate::kernels) fn multiply_pairs(
    p: &PackedI8<'_>,
    runs: &Runs,
    pairs: &Pairs,
    x: impl Elements<i8>,
    columns: impl Sink<i32>,
    y: impl Sink<i8>,
) {
    for pair in 0..pairs.count {
        let place = |start: usize, step: usize, pixel: usize| start.wrapping_add((2 * pair + pixel).wrapping_mul(step));
        for pixel in 0..2 {
            widen(runs, x, place(pairs.from, pairs.step, pixel), columns, pairs.at + pixel, 2);
        }
        for pixel in 0..2 {
            let values = |pair: usize| [0, 1].map(|upper| half(columns.at(2 * pair + pixel), upper));
            self::pixel(p, values, y, place(pairs.to, pairs.to_step, pixel));
        }
    }
}

/// All channels of the pixel of which `values` has the two values of each pair.
fn pixel(p: &PackedI8<'_>, values: impl Fn(usize) -> [i32; 2], y: impl Sink<i8>, to: usize) {
    for channel in 0..p.channels {
        let (quad, lane) = (channel / LANES, channel % LANES);
        let words = QUAD_WORDS + 2 * p.pairs;
        let quad = p.packed.part(quad * words..(quad + 1) * words);
        let sum = (0..p.pairs).fold(0i32, |sum, pair| {
            let ([low, high], w) = (values(pair), quad.at(4 + 2 * pair + lane / 2));
            sum.wrapping_add(low * weight(w, 0, lane % 2)).wrapping_add(high * weight(w, 1, lane % 2))
        });
        let end = quad.after(4 + 2 * p.pairs);
        let [both, even] = [0, 1].map(|index| quad.at(lane / 2 * 2 + index));
        let bias = if lane % 2 == 0 { even } else { both.wrapping_sub(even) >> 8 };
        let multiplier = end.at(if lane == 0 { 0 } else { lane + 1 });
        y.put(to + channel, result(p, sum.wrapping_add(bias), multiplier, end.at(1), lane));
    }
}

/// Depthwise results of the pixels of `run`, the first of which has its taps in `window`, of `x`. `scratch` is two
/// words for each pair of taps and one more, then the argument's zero point in a byte for each channel.
pub(in crate::kernels) fn filter(
    p: &PackedI8<'_>,
    window: &Window<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    _scratch: impl Sink<i32>,
    run: &Run,
) {
    for pixel in 0..run.pixels {
        let (from, to) = (pixel.wrapping_mul(run.step), run.to.wrapping_add(pixel.wrapping_mul(run.to_step)));
        for channel in 0..p.channels {
            let (quad, lane) = (channel / LANES, channel % LANES);
            let words = DEPTHWISE_WORDS + 4 * p.pairs;
            let quad = p.packed.part(quad * words..(quad + 1) * words);
            let (weights, single) = (quad.after(4), quad.after(4 + 4 * p.pairs));
            let (mut sum, mut index) = (quad.at(lane), 0);
            for row in 0..window.slide.y.taps {
                let (inside, start) = window.row(row);
                for tap in 0..window.slide.x.taps {
                    let value = if inside.contains(&tap) {
                        let at = start + (tap - inside.start) * window.step();
                        i32::from(x.at(at.wrapping_add(from) + channel))
                    } else {
                        p.from
                    };
                    let in_pairs = index < 2 * p.pairs;
                    let weight = if in_pairs {
                        half(weights.at(index / 2 * 4 + lane), index % 2)
                    } else {
                        half(single.at(lane % 2), lane / 2)
                    };
                    sum = sum.wrapping_add(value * weight);
                    index += 1;
                }
            }
            let end = single.after(2);
            y.put(to + channel, scaled(p, sum, end.at(lane), end.at(4), lane));
        }
    }
}

/// Weighted sums of the pairs of `a` and `b`, of one length, from element `to` of `y` on.
#[allow(clippy::cast_possible_truncation, reason = "the parts are less than the weights; the bounds are those of i8")]
pub(in crate::kernels) fn add(
    p: &AddWeightedI8,
    a: impl Elements<i8>,
    b: impl Elements<i8>,
    y: impl Sink<i8>,
    to: usize,
) {
    let part = |value: i8, weight: i32| ((i64::from(value) * i64::from(weight)) >> 8) as i32;
    let [weight_a, weight_b] = p.weights;
    for (index, (a, b)) in a.values().zip(b.values()).enumerate() {
        let sum = part(a, weight_a).wrapping_add(part(b, weight_b)).wrapping_add(p.offset);
        y.put(to + index, (sum >> 20).max(p.min).min(p.max) as i8);
    }
}

/// The result of a sum; byte `lane` of `shifts` is one less than its shift.
fn result(p: &PackedI8<'_>, sum: i32, multiplier: i32, shifts: i32, lane: usize) -> i8 {
    let shift = i32::from(shifts.to_le_bytes().as_slice().at(lane)) + 1;
    let result = requantized(sum, multiplier, -shift).wrapping_add(p.to);
    #[allow(clippy::cast_possible_truncation, reason = "the bounds are those of i8")]
    let result = result.max(p.min).min(p.max) as i8;
    result
}

/// As [`result`] of a sum that is taken twice, or as often as the planner has proved to give the same results.
fn scaled(p: &PackedI8<'_>, sum: i32, multiplier: i32, shifts: i32, lane: usize) -> i8 {
    let shift = u32::from(shifts.to_le_bytes().as_slice().at(lane));
    #[allow(clippy::cast_possible_truncation, reason = "the upper half")]
    let product = ((i64::from(sum) * i64::from(multiplier) + (1 << 31)) >> 32) as i32;
    let product = product.wrapping_add(sum >> 31);
    let result = ((product.wrapping_shr(shift).wrapping_add(1)) >> 1).wrapping_add(p.to);
    #[allow(clippy::cast_possible_truncation, reason = "the bounds are those of i8")]
    let result = result.max(p.min).min(p.max) as i8;
    result
}

/// The lower or upper 16 bits.
fn half(word: i32, upper: usize) -> i32 {
    if upper == 0 { word << 16 >> 16 } else { word >> 16 }
}

/// The even or odd weight of the two in a half of `word`, which is `256 * odd + even`.
fn weight(word: i32, upper: usize, odd: usize) -> i32 {
    let both = half(word, upper);
    let even = both << 24 >> 24;
    if odd == 0 { even } else { (both - even) >> 8 }
}

//! What the machines' functions compute.

use super::Run;
use crate::kernels::add_table::AddTableI8;
use crate::kernels::fixed_point::multiply as requantized;
use crate::kernels::packed::{DEPTHWISE_WORDS, LANES, PackedI8, QUAD_WORDS};
use crate::kernels::{Elements, Sink};

/// The pair of values that element `index` of a run of `len` belongs to, and whether it is the upper one.
///
/// Elements 0, 1, 2 and 3 of four lie as the pairs 0 with 2 and 1 with 3, which takes a machine two instructions;
/// two at the end are a pair.
fn place(index: usize, len: usize) -> (usize, usize) {
    let (first, lane) = (index & !3, index & 3);
    if len - first == 2 { (first / 2, lane) } else { (first / 2 + (lane & 1), lane >> 1) }
}

/// Writes the elements of `x` as pairs of 16 bits to the words `at`, `at + step` and so on of `columns`.
pub(in crate::kernels) fn widen(x: impl Elements<i8>, columns: impl Sink<i32>, at: usize, step: usize) {
    for (index, value) in x.values().enumerate() {
        let (pair, upper) = place(index, x.count());
        let word = at + pair * step;
        let value = i32::from(value);
        let both = if upper == 0 { value & 0xffff } else { columns.at(word) & 0xffff | value << 16 };
        columns.put(word, both);
    }
}

/// As [`widen`] of two runs of one length, word by word in turn.
pub(in crate::kernels) fn widen_pair(x: [impl Elements<i8>; 2], columns: impl Sink<i32>, at: usize) {
    let [a, b] = x;
    widen(a, columns, at, 2);
    widen(b, columns, at + 1, 2);
}

/// All channels of the pixel whose widened window is in `columns`, stored from `to` on.
pub(in crate::kernels) fn multiply(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: usize) {
    pixels(p, columns, y, [to]);
}

/// As [`multiply`] of the pixel whose window is `x`, a multiple of four elements.
pub(in crate::kernels) fn multiply_row(p: &PackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, to: usize) {
    let pair = |pair: usize| {
        let low = pair / 2 * 4 + pair % 2;
        [low, low + 2].map(|index| i32::from(x.at(index)))
    };
    pixel(p, pair, y, to);
}

/// As [`multiply`] of two pixels whose windows lie word by word in turn.
pub(in crate::kernels) fn multiply_pair(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: [usize; 2]) {
    pixels(p, columns, y, to);
}

fn pixels<const N: usize>(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: [usize; N]) {
    for (index, to) in to.into_iter().enumerate() {
        pixel(p, |pair| [0, 1].map(|upper| half(columns.at(pair * N + index), upper)), y, to);
    }
}

/// All channels of the pixel of which `values` has the two values of each pair.
fn pixel(p: &PackedI8<'_>, values: impl Fn(usize) -> [i32; 2], y: impl Sink<i8>, to: usize) {
    for channel in 0..p.channels {
        let (quad, lane) = (channel / LANES, channel % LANES);
        let words = QUAD_WORDS + 2 * p.pairs;
        let quad = p.packed.part(quad * words..(quad + 1) * words);
        let sum = (0..p.pairs).fold(0i32, |sum, pair| {
            let ([low, high], w) = (values(pair), quad.at(2 + 2 * pair + lane / 2));
            sum.wrapping_add(low * weight(w, 0, lane % 2)).wrapping_add(high * weight(w, 1, lane % 2))
        });
        let end = quad.after(2 + 2 * p.pairs);
        let (bias, multiplier) = match lane {
            0 => (quad.at(0), end.at(0)),
            1 => (end.at(3), end.at(2)),
            2 => (quad.at(1), end.at(4)),
            _ => (end.at(6), end.at(5)),
        };
        y.put(to + channel, result(p, sum.wrapping_add(bias), multiplier, end.at(1), lane));
    }
}

/// Depthwise results of the pixels of `run`. `taps` is where each tap of the first finds its channels in `x`, or
/// `None` outside the image; `scratch` two words for each pair of taps and one more, then the argument's zero point in a
/// byte for each channel.
pub(in crate::kernels) fn filter(
    p: &PackedI8<'_>,
    taps: &(impl Iterator<Item = Option<usize>> + Clone),
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    _scratch: impl Sink<i32>,
    run: Run,
) {
    for pixel in 0..run.pixels {
        for channel in 0..p.channels {
            let (quad, lane) = (channel / LANES, channel % LANES);
            let words = DEPTHWISE_WORDS + 4 * p.pairs;
            let quad = p.packed.part(quad * words..(quad + 1) * words);
            let (weights, single) = (quad.after(4), quad.after(4 + 4 * p.pairs));
            let doubled = taps.clone().enumerate().fold(quad.at(lane), |sum, (index, tap)| {
                let value = tap.map_or(p.from, |tap| x.at(tap + pixel * run.step + channel).into());
                let in_pairs = index < 2 * p.pairs;
                let weight = if in_pairs {
                    half(weights.at(index / 2 * 4 + lane), index % 2)
                } else {
                    half(single.at(lane % 2), lane / 2)
                };
                sum.wrapping_add(value * weight)
            });
            let end = single.after(2);
            y.put(run.to + pixel * run.to_step + channel, result(p, doubled / 2, end.at(lane), end.at(4), lane));
        }
    }
}

/// Sums of the pairs of `a` and `b`, of one length, from element `to` of `y` on.
#[allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "a shift; the bounds are those of i8")]
pub(in crate::kernels) fn add(
    p: &AddTableI8<'_>,
    a: impl Elements<i8>,
    b: impl Elements<i8>,
    y: impl Sink<i8>,
    to: usize,
) {
    for (index, (a, b)) in a.values().zip(b.values()).enumerate() {
        let sum = p.table.at(usize::from(b.cast_unsigned())).wrapping_add(i32::from(a) << 19);
        let result = requantized(sum, p.multiplier, -(p.shift as i32)).wrapping_add(p.zero_point);
        y.put(to + index, result.max(p.min).min(p.max) as i8);
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

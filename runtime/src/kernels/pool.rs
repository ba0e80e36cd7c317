//! Maximum, average and root of the mean square over windows of an image. Padding does not count.

use super::slide::{Band, Inside, Slide};
use super::{Clamp, Elements, Integer, Sink, Units};
use bytemuck::Pod;
use core::ops::Range;

/// Channels computed together: their states stay in registers.
const BLOCK: usize = 4;

/// The shape of a pool.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// How its window slides.
    pub slide: Slide,
    /// Channels.
    pub channels: usize,
}

/// Parameters of [`max_pool2d_f32`] and [`avg_pool2d_f32`].
#[derive(Clone, Copy, Debug)]
pub struct PoolF32 {
    /// The shape.
    pub shape: Pool,
    /// Bounds of the result.
    pub result: Clamp,
}

/// Parameters of the pools of integers.
#[derive(Clone, Copy, Debug)]
pub struct PoolInt {
    /// The shape.
    pub shape: Pool,
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

/// A unit is a row of the result, pictures in order. Up to four channels of a
/// pixel are written after all their taps have been read.
pub fn max_pool2d_f32(p: &PoolF32, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    pool(&p.shape, x, y, units, f32::MIN, larger, |max, _| p.result.apply(max));
}

/// As [`max_pool2d_f32`].
#[inline(never)]
pub fn max_pool2d_i8(p: &PoolInt, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    max_int(p, x, y, units);
}

/// As [`max_pool2d_f32`].
pub fn max_pool2d_u8(p: &PoolInt, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    max_int(p, x, y, units);
}

/// As [`max_pool2d_f32`].
pub fn max_pool2d_i16(p: &PoolInt, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    max_int(p, x, y, units);
}

/// As [`max_pool2d_f32`]; elements are summed by tap row and tap column, then divided.
pub fn avg_pool2d_f32(p: &PoolF32, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    #[allow(clippy::cast_precision_loss, reason = "a number of taps")]
    pool(&p.shape, x, y, units, 0.0, |sum, x: f32| sum + x, |sum, taps| p.result.apply(sum / taps as f32));
}

/// As [`max_pool2d_f32`]; the root of the mean of squares, summed by tap row and tap column.
#[cfg(feature = "libm")]
pub fn l2_pool2d_f32(p: &PoolF32, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    #[allow(clippy::cast_precision_loss, reason = "a number of taps")]
    let root = |sum: f32, taps: usize| p.result.apply(libm::sqrtf(sum / taps as f32));
    pool(&p.shape, x, y, units, 0.0, |sum, x: f32| sum + x * x, root);
}

/// As [`max_pool2d_f32`]; rounds to nearest, halves away from zero.
#[inline(never)]
pub fn avg_pool2d_i8(p: &PoolInt, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    avg_int(p, x, y, units);
}

/// As [`max_pool2d_f32`]; rounds to nearest, halves away from zero.
pub fn avg_pool2d_u8(p: &PoolInt, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    avg_int(p, x, y, units);
}

/// As [`max_pool2d_f32`]; rounds to nearest, halves away from zero.
pub fn avg_pool2d_i16(p: &PoolInt, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    avg_int(p, x, y, units);
}

#[inline(always)]
fn max_int<T: Integer>(p: &PoolInt, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    pool(&p.shape, x, y, units, T::MIN, T::max, |max, _| T::low(max.into().max(p.min).min(p.max)));
}

#[inline(always)]
fn avg_int<T: Integer>(p: &PoolInt, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "a number of taps")]
    let mean = |sum: i32, taps: usize| {
        let taps = (taps as i32).max(1);
        let half = if sum > 0 { taps / 2 } else { -(taps / 2) };
        T::low(((sum + half) / taps).max(p.min).min(p.max))
    };
    pool(&p.shape, x, y, units, 0, |sum: i32, x: T| sum.wrapping_add(x.into()), mean);
}

#[inline(always)]
fn pool<T: Pod, S: Copy>(
    p: &Pool,
    x: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
    first: S,
    add: impl Fn(S, T) -> S,
    finish: impl Fn(S, usize) -> T,
) {
    for unit in units {
        let band = p.slide.band(unit);
        let row = p.slide.row(unit);
        for column in units.along(0..p.slide.x.output) {
            let to = row + column * p.slide.pixel;
            let columns = p.slide.x.inside(column);
            let taps = columns.taps.len() * band.rows.taps.len();
            for start in (0..p.channels).step_by(BLOCK) {
                let channels = start..p.channels.min(start + BLOCK);
                let states = block(p, &band, &columns, channels.clone(), x, first, &add);
                for (channel, state) in channels.zip(states) {
                    y.put(to + channel, finish(state, taps));
                }
            }
        }
    }
}

/// The states of `channels`, at most [`BLOCK`], after all taps of a pixel.
#[inline(always)]
fn block<T: Pod, S: Copy>(
    p: &Pool,
    band: &Band,
    columns: &Inside,
    channels: Range<usize>,
    x: impl Elements<T>,
    first: S,
    add: impl Fn(S, T) -> S,
) -> [S; BLOCK] {
    let mut states = [first; BLOCK];
    for tap in band.rows.taps.clone() {
        let mut from = p.slide.from.start(band.row(&p.slide, tap)) + columns.first * p.channels + channels.start;
        for _ in columns.taps.clone() {
            for (state, x) in states.iter_mut().zip(x.part(from..from + channels.len()).values()) {
                *state = add(*state, x);
            }
            from += p.slide.x.dilation * p.channels;
        }
    }
    states
}

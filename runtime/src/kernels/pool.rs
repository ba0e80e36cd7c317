//! Maximum, average and root of the mean square over windows of an image. Padding does not count.

use super::arch;
use super::slide::Slide;
use super::windows::Windows;
use super::{Clamp, Elements, Sink, Units};
use core::hint::black_box;

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

/// A unit is a row of the result, pictures in order. Four channels of a pixel, or each of those that are
/// left over, are written after all their taps have been read; machines take more channels at once.
#[inline(never)]
pub fn max_pool2d_f32(p: &PoolF32, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    black_box(&p.shape).windows(units, |windows| windows.fold(x, y, f32::MIN, larger, |max| p.result.apply(max)));
}

/// As [`max_pool2d_f32`].
#[inline(never)]
pub fn max_pool2d_i8(p: &PoolInt, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    black_box(&p.shape).windows(units, |windows| arch::max_i8(windows, x, y, [p.min, p.max]));
}

/// As [`max_pool2d_f32`].
#[inline(never)]
pub fn max_pool2d_u8(p: &PoolInt, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    black_box(&p.shape).windows(units, |windows| arch::max_u8(windows, x, y, [p.min, p.max]));
}

/// As [`max_pool2d_f32`].
#[inline(never)]
pub fn max_pool2d_i16(p: &PoolInt, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    p.shape.windows(units, |windows| windows.max(x, y, [p.min, p.max]));
}

/// As [`max_pool2d_f32`]; elements are summed by tap row and tap column, then divided.
#[inline(never)]
pub fn avg_pool2d_f32(p: &PoolF32, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    black_box(&p.shape).windows(units, |windows| {
        let taps = windows.taps_f32();
        windows.fold(x, y, 0.0, |sum, x: f32| sum + x, |sum| p.result.apply(sum / taps));
    });
}

/// As [`max_pool2d_f32`]; the root of the mean of squares, summed by tap row and tap column.
#[cfg(feature = "libm")]
#[inline(never)]
pub fn l2_pool2d_f32(p: &PoolF32, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    black_box(&p.shape).windows(units, |windows| {
        let taps = windows.taps_f32();
        windows.fold(x, y, 0.0, |sum, x: f32| sum + x * x, |sum| p.result.apply(libm::sqrtf(sum / taps)));
    });
}

/// As [`max_pool2d_f32`]; rounds to nearest, halves away from zero.
#[inline(never)]
pub fn avg_pool2d_i8(p: &PoolInt, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    p.shape.windows(units, |windows| arch::mean_i8(windows, x, y, [p.min, p.max]));
}

/// As [`avg_pool2d_i8`].
#[inline(never)]
pub fn avg_pool2d_u8(p: &PoolInt, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    p.shape.windows(units, |windows| arch::mean_u8(windows, x, y, [p.min, p.max]));
}

/// As [`avg_pool2d_i8`].
#[inline(never)]
pub fn avg_pool2d_i16(p: &PoolInt, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    p.shape.windows(units, |windows| {
        let add = |sum: i32, x: i16| sum.wrapping_add(x.into());
        windows.fold(x, y, 0, add, |sum| windows.mean(sum, [p.min, p.max]));
    });
}

impl Pool {
    /// The results of `units`, by pixels whose windows lie alike.
    #[inline(always)]
    fn windows(&self, units: Units, results: impl Fn(&Windows)) {
        let Self { slide, channels } = self;
        let whole = slide.x.whole();
        for unit in units {
            let band = slide.band(unit);
            let ([from, again], [rows, more]) = band.parts(slide);
            let mut left = units.along(0..slide.x.output);
            while left.count() > 0 {
                let column = left.at(0);
                let columns = slide.x.inside(column);
                let first = columns.first * channels;
                let windows = Windows {
                    channels: *channels,
                    pixels: if whole.contains(&column) { left.within(&whole) } else { 1 },
                    from: from + first,
                    step: left.step(slide.x.stride * channels),
                    columns: columns.taps.len(),
                    column_step: slide.x.dilation * channels,
                    rows,
                    row_step: slide.row_step(),
                    more,
                    again: again + first,
                    to: slide.row(unit) + column * slide.pixel,
                    to_step: left.step(slide.pixel),
                };
                results(&windows);
                left = left.after(windows.pixels);
            }
        }
    }
}

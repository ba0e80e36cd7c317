//! The largest and the mean of windows, and sums of elements evenly apart.

use super::super::{SUMS, Strip};
use crate::kernels::windows::Windows;
use crate::kernels::{Elements, Integer, Sink};

/// The largest elements of windows, between two bounds. Four channels of a pixel, or each of those that are left over,
/// are written after all of its window has been read.
#[inline(always)]
pub(in crate::kernels) fn max_i8(windows: &Windows, x: impl Elements<i8>, y: impl Sink<i8>, bounds: [i32; 2]) {
    windows.max(x, y, bounds);
}

/// As [`max_i8`].
#[inline(always)]
pub(in crate::kernels) fn max_u8(windows: &Windows, x: impl Elements<u8>, y: impl Sink<u8>, bounds: [i32; 2]) {
    windows.max(x, y, bounds);
}

/// The means of windows, halves away from zero, between two bounds. Read and written as by [`max_i8`].
#[inline(always)]
pub(in crate::kernels) fn mean_i8(windows: &Windows, x: impl Elements<i8>, y: impl Sink<i8>, bounds: [i32; 2]) {
    windows.means(y, bounds, |strip, sums| sum_i8(x, strip, sums));
}

/// As [`mean_i8`].
#[inline(always)]
pub(in crate::kernels) fn mean_u8(windows: &Windows, x: impl Elements<u8>, y: impl Sink<u8>, bounds: [i32; 2]) {
    windows.means(y, bounds, |strip, sums| sum_u8(x, strip, sums));
}

/// Adds the elements of `strip` to the sums of their channels.
#[inline(always)]
pub(in crate::kernels) fn sum_i8(x: impl Elements<i8>, strip: &Strip, sums: &mut [i32; SUMS]) {
    sum(x, strip, sums);
}

/// As [`sum_i8`].
#[inline(always)]
pub(in crate::kernels) fn sum_u8(x: impl Elements<u8>, strip: &Strip, sums: &mut [i32; SUMS]) {
    sum(x, strip, sums);
}

#[inline(always)]
fn sum<T: Integer>(x: impl Elements<T>, strip: &Strip, sums: &mut [i32; SUMS]) {
    if strip.channels == 1 {
        return sum_one(x, strip, sums);
    }
    // Sums that are not in memory.
    let mut fours = [0i32; 4];
    for index in 0..strip.count {
        for (sum, x) in fours.iter_mut().zip(x.four(strip.from + index * strip.step)) {
            *sum = sum.wrapping_add(x.into());
        }
    }
    for (sum, four) in sums.iter_mut().zip(fours) {
        *sum = sum.wrapping_add(four);
    }
}

/// As [`sum_i8`], of one channel.
#[inline(always)]
pub(in crate::kernels) fn sum_one<T: Integer>(x: impl Elements<T>, strip: &Strip, sums: &mut [i32; SUMS]) {
    let [first, ..] = sums;
    for index in 0..strip.count {
        *first = first.wrapping_add(x.at(strip.from + index * strip.step).into());
    }
}

//! A row of elements times filters.

use super::super::window::{Memory, MemoryMut};
use super::{LANES, requantize};
use crate::kernels::WeightsI8;
use core::arch::x86_64::{
    __m256i, _mm_cvtepi8_epi16, _mm_loadl_epi64, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16,
    _mm256_hadd_epi32, _mm256_madd_epi16, _mm256_permute2x128_si256, _mm256_setzero_si256, _mm256_zextsi128_si256,
};
use core::array;

/// Elements of the shortest row.
pub(super) const LEAST: usize = 8;
/// Elements that are multiplied at once.
const WIDE: usize = 16;

/// All `channels` of the pixel whose window is `x`, [`LEAST`] elements at least, stored from `to` on. Eight channels
/// are stored before the window is read for the next.
#[target_feature(enable = "avx2")]
pub(super) fn multiply(layer: &WeightsI8<'_>, x: Memory<'_>, y: MemoryMut<'_>, to: usize, channels: usize) {
    let len = x.bytes;
    let fits = channels.checked_mul(len).is_some_and(|all| all <= layer.weights.len());
    if !fits || len < LEAST || channels == 0 {
        return;
    }
    let mut channel = 0;
    while channel < channels {
        // A channel beyond the last is the last.
        let filters =
            array::from_fn(|lane| layer.weights.as_ptr().wrapping_add((channel + lane).min(channels - 1) * len));
        // SAFETY: the window and each filter have `len` elements.
        let sums = unsafe { dot(x.start.cast(), len, filters) };
        requantize::store(layer, sums, y, to + channel, channel, channels - channel);
        channel += LANES;
    }
}

/// Each of eight sums and `$product`, with `$filter` for its own filter's elements from `$at` on. Spelled out:
/// iterators are not always inlined here.
macro_rules! add {
    ($sums:ident, $filters:ident, $at:expr, |$filter:ident| $product:expr) => {{
        let [s0, s1, s2, s3, s4, s5, s6, s7] = $sums;
        let [f0, f1, f2, f3, f4, f5, f6, f7] = $filters;
        add!(@ $at, $filter, $product, s0 f0, s1 f1, s2 f2, s3 f3, s4 f4, s5 f5, s6 f6, s7 f7)
    }};
    (@ $at:expr, $filter:ident, $product:expr, $($sum:ident $from:ident),+) => {
        [$({
            let $filter = $from.wrapping_add($at);
            _mm256_add_epi32($sum, $product)
        }),+]
    };
}

/// Sixteen elements as 16 bits.
///
/// # Safety
/// So many are there.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn wide(from: *const i8) -> __m256i {
    // SAFETY: they are there.
    unsafe { _mm256_cvtepi8_epi16(_mm_loadu_si128(from.cast())) }
}

/// Eight elements as 16 bits, and zeros.
///
/// # Safety
/// So many are there.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn narrow(from: *const i8) -> __m256i {
    // SAFETY: they are there.
    unsafe { _mm256_zextsi128_si256(_mm_cvtepi8_epi16(_mm_loadl_epi64(from.cast()))) }
}

/// The products of the elements of `x` with those of each filter.
///
/// # Safety
/// All have `len` elements, which are [`LEAST`] at least.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn dot(x: *const i8, len: usize, filters: [*const i8; LANES]) -> __m256i {
    let mut sums = [_mm256_setzero_si256(); LANES];
    let mut at = 0;
    while at + WIDE <= len {
        // SAFETY: sixteen elements are left.
        unsafe {
            let x = wide(x.wrapping_add(at));
            sums = add!(sums, filters, at, |filter| _mm256_madd_epi16(x, wide(filter)));
        }
        at += WIDE;
    }
    if at + LEAST <= len {
        // SAFETY: eight elements are left.
        unsafe {
            let x = narrow(x.wrapping_add(at));
            sums = add!(sums, filters, at, |filter| _mm256_madd_epi16(x, narrow(filter)));
        }
        at += LEAST;
    }
    if at < len {
        // The last eight, those of them that are done as zeros.
        let last = len - LEAST;
        let mut rest = [0; LEAST];
        for (index, element) in rest.iter_mut().enumerate() {
            if last + index >= at {
                // SAFETY: one of the last eight elements.
                *element = unsafe { *x.wrapping_add(last + index) };
            }
        }
        // SAFETY: each filter has eight elements.
        unsafe {
            let x = narrow(rest.as_ptr());
            sums = add!(sums, filters, last, |filter| _mm256_madd_epi16(x, narrow(filter)));
        }
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7] = sums;
    let low = _mm256_hadd_epi32(_mm256_hadd_epi32(s0, s1), _mm256_hadd_epi32(s2, s3));
    let high = _mm256_hadd_epi32(_mm256_hadd_epi32(s4, s5), _mm256_hadd_epi32(s6, s7));
    _mm256_add_epi32(_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high))
}

//! A row of elements times filters.

use super::super::window::{Memory, MemoryMut};
use super::{LANES, requantize};
use crate::kernels::WeightsI8;
use core::arch::x86_64::{
    __m256i, _mm_cvtepi8_epi16, _mm_loadl_epi64, _mm_loadu_si128, _mm_madd_epi16, _mm256_add_epi32,
    _mm256_cvtepi8_epi16, _mm256_hadd_epi32, _mm256_madd_epi16, _mm256_permute2x128_si256, _mm256_setzero_si256,
    _mm256_zextsi128_si256,
};
use core::array;

/// Elements of the shortest row.
pub(super) const LEAST: usize = 8;
/// Elements that are multiplied at once.
const WIDE: usize = 16;

/// All `channels` of the pixel whose window is `x`, [`LEAST`] elements at least, stored from `to` on. Eight channels are
/// stored before the window is read for the next.
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
        // SAFETY: 16 elements are left.
        let wide = |from: *const i8| unsafe { _mm256_cvtepi8_epi16(_mm_loadu_si128(from.wrapping_add(at).cast())) };
        let x = wide(x);
        for (sum, filter) in sums.iter_mut().zip(filters) {
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(x, wide(filter)));
        }
        at += WIDE;
    }
    // SAFETY: eight elements from `at` on are inside wherever it is called.
    let narrow = |from: *const i8, at| unsafe { _mm_cvtepi8_epi16(_mm_loadl_epi64(from.wrapping_add(at).cast())) };
    if at + LEAST <= len {
        let x = narrow(x, at);
        for (sum, filter) in sums.iter_mut().zip(filters) {
            *sum = _mm256_add_epi32(*sum, _mm256_zextsi128_si256(_mm_madd_epi16(x, narrow(filter, at))));
        }
        at += LEAST;
    }
    if at < len {
        // The last eight, those of them that are done as zeros.
        let (last, done) = (len - LEAST, at - (len - LEAST));
        // SAFETY: the last eight elements.
        let rest = array::from_fn(|i| if i < done { 0 } else { unsafe { *x.wrapping_add(last + i) } });
        let rest: [i8; LEAST] = rest;
        let x = narrow(rest.as_ptr(), 0);
        for (sum, filter) in sums.iter_mut().zip(filters) {
            *sum = _mm256_add_epi32(*sum, _mm256_zextsi128_si256(_mm_madd_epi16(x, narrow(filter, last))));
        }
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7] = sums;
    let pairs = |a, b, c, d| _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    let (low, high) = (pairs(s0, s1, s2, s3), pairs(s4, s5, s6, s7));
    _mm256_add_epi32(_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high))
}

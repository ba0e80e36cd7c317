//! From sums to results.

use super::super::window::MemoryMut;
use super::LANES;
use crate::kernels::{Elements, WeightsI8};
use core::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_unpacklo_epi32, _mm256_add_epi32, _mm256_add_epi64, _mm256_and_si256,
    _mm256_blend_epi32, _mm256_castsi256_si128, _mm256_cmpgt_epi32, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_max_epi32, _mm256_min_epi32, _mm256_mul_epi32, _mm256_packs_epi16, _mm256_packs_epi32, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_slli_epi64, _mm256_sllv_epi32, _mm256_srav_epi32,
    _mm256_srli_epi32, _mm256_srli_epi64, _mm256_sub_epi32,
};
use core::array;

/// Stores the results of the channels from `channel` on, whose sums are without their biases, from `to` on.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(layer: &WeightsI8<'_>, sums: __m256i, y: MemoryMut<'_>, to: usize, channel: usize, count: usize) {
    let result = &layer.result;
    let bias = if layer.bias.is_empty() { _mm256_setzero_si256() } else { lanes(layer.bias, channel, 0) };
    let (multiplier, shift) = match (result.multipliers, result.shifts) {
        (&[multiplier], &[shift]) => (_mm256_set1_epi32(multiplier), _mm256_set1_epi32(shift.into())),
        (multipliers, shifts) => {
            let shifts: [i32; LANES] = array::from_fn(|lane| shifts.at(channel + lane).into());
            (lanes(multipliers, channel, 0), lanes(&shifts, 0, 0))
        }
    };
    let scaled = multiply(_mm256_add_epi32(sums, bias), multiplier, shift);
    let moved = _mm256_add_epi32(scaled, _mm256_set1_epi32(result.zero_point));
    let low = _mm256_max_epi32(moved, _mm256_set1_epi32(result.min));
    let bytes = bytes(_mm256_min_epi32(low, _mm256_set1_epi32(result.max)));
    let count = count.min(LANES);
    if to.checked_add(count).is_none_or(|end| end > y.bytes) {
        return;
    }
    let to = y.start.wrapping_add(to);
    if count == LANES {
        // SAFETY: the window has eight bytes from there on.
        unsafe { to.cast::<[u8; LANES]>().write_unaligned(bytes) };
    } else {
        // SAFETY: the window has `count` bytes from there on.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), count) };
    }
}

/// Eight values from `at` on, `or` where there are none.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes(values: &[i32], at: usize, or: i32) -> __m256i {
    let eight: [i32; LANES] = match values.get(at..).and_then(<[i32]>::first_chunk) {
        Some(eight) => *eight,
        None => array::from_fn(|lane| values.get(at + lane).copied().unwrap_or(or)),
    };
    // SAFETY: there are eight.
    unsafe { _mm256_loadu_si256(eight.as_ptr().cast()) }
}

/// As `fixed_point::multiply`.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply(x: __m256i, multiplier: __m256i, shift: __m256i) -> __m256i {
    let zero = _mm256_setzero_si256();
    let x = _mm256_sllv_epi32(x, _mm256_max_epi32(shift, zero));
    let right = _mm256_max_epi32(_mm256_sub_epi32(zero, shift), zero);
    // Lanes 0, 2, 4 and 6 and then 1, 3, 5 and 7 as products of 64 bits.
    let half = _mm256_set1_epi64x(1 << 30);
    let even = _mm256_add_epi64(_mm256_mul_epi32(x, multiplier), half);
    let odd = _mm256_mul_epi32(_mm256_srli_epi64::<32>(x), _mm256_srli_epi64::<32>(multiplier));
    let odd = _mm256_add_epi64(odd, half);
    let product = _mm256_blend_epi32::<0b1010_1010>(_mm256_srli_epi64::<31>(even), _mm256_slli_epi64::<1>(odd));
    // As `rounding_shift_right`; a comparison that holds is -1.
    let one = _mm256_set1_epi32(1);
    let mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, right), one);
    let negative = _mm256_cmpgt_epi32(zero, product);
    let threshold = _mm256_sub_epi32(_mm256_srli_epi32::<1>(mask), negative);
    let up = _mm256_cmpgt_epi32(_mm256_and_si256(product, mask), threshold);
    _mm256_sub_epi32(_mm256_srav_epi32(product, right), up)
}

/// The lanes, which are in the range of i8.
#[inline]
#[target_feature(enable = "avx2")]
fn bytes(lanes: __m256i) -> [u8; LANES] {
    let words = _mm256_packs_epi32(lanes, lanes);
    let bytes = _mm256_packs_epi16(words, words);
    let both = _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes));
    _mm_cvtsi128_si64(both).to_le_bytes()
}

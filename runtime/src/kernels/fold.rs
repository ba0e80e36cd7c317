//! Constants made from weights that only the compiler of the user's crate can read.
//!
//! Everything here runs at compile time.
#![allow(clippy::indexing_slicing, reason = "an index out of range is an error of the build")]

/// The bias of a quantised layer with its argument's zero point folded in: for
/// each of `N` channels, `bias - zero_point * sum(weights of the channel)`.
///
/// The weights of channel `c` are the `count` at `c * channel + i * step`. An
/// empty bias is zeros.
#[must_use]
pub const fn folded_bias<const N: usize>(
    bias: &[i32],
    weights: &[i8],
    zero_point: i32,
    count: usize,
    channel: usize,
    step: usize,
) -> [i32; N] {
    let mut folded = [0; N];
    fold_bias(&mut folded, bias, weights, zero_point, count, channel, step);
    folded
}

/// The bias of a layer of i16, from a constant of the user's crate.
#[must_use]
pub const fn widened_bias<const N: usize>(bias: &[i32]) -> [i64; N] {
    let mut wide = [0; N];
    let mut i = 0;
    while i < N {
        wide[i] = bias[i] as i64;
        i += 1;
    }
    wide
}

/// Writes [`folded_bias`] of any number of channels.
pub const fn fold_bias(
    folded: &mut [i32],
    bias: &[i32],
    weights: &[i8],
    zero_point: i32,
    count: usize,
    channel: usize,
    step: usize,
) {
    let mut c = 0;
    while c < folded.len() {
        let mut sum = 0i32;
        let mut i = 0;
        while i < count {
            sum = sum.wrapping_add(weights[c * channel + i * step] as i32);
            i += 1;
        }
        let start = if bias.is_empty() { 0 } else { bias[c] };
        folded[c] = start.wrapping_sub(zero_point.wrapping_mul(sum));
        c += 1;
    }
}

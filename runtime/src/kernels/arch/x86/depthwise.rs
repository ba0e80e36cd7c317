//! Depthwise convolutions of one result a channel.

use super::super::window::{Memory, MemoryMut};
use super::{LANES, requantize};
use crate::kernels::{Depthwise, DepthwiseI8, Units};
use core::arch::x86_64::{
    __m256i, _mm_loadl_epi64, _mm256_add_epi32, _mm256_cvtepi8_epi32, _mm256_mullo_epi32, _mm256_set1_epi32,
    _mm256_setzero_si256,
};

/// Taps of the largest filter.
const MOST: usize = 128;

/// Whether it is a layer for [`depthwise`].
pub(super) fn fits(p: &DepthwiseI8<'_>) -> bool {
    let Depthwise { slide, channels, multiplier } = &p.shape;
    let taps = slide.y.taps.saturating_mul(slide.x.taps);
    let weights = taps.saturating_mul(*channels);
    *multiplier == 1 && channels.is_multiple_of(LANES) && taps <= MOST && weights <= p.layer.weights.len()
}

#[target_feature(enable = "avx2")]
pub(super) fn depthwise(p: &DepthwiseI8<'_>, x: Memory<'_>, y: MemoryMut<'_>, units: Units) {
    let Depthwise { slide, channels, .. } = &p.shape;
    let channels = *channels;
    // Where each tap's pixel is, if that is in the image.
    let mut pixels = [None; MOST];
    for unit in units {
        let band = slide.band(unit);
        let row = slide.row(unit);
        for column in units.along(0..slide.x.output) {
            let to = row + column * slide.pixel;
            let columns = slide.x.inside(column);
            let mut count = 0;
            for row in 0..slide.y.taps {
                let inside = band.rows.taps.contains(&row);
                let start = if inside { slide.from.start(band.row(slide, row)) } else { 0 };
                let mut at = start + columns.first * channels;
                for tap in 0..slide.x.taps {
                    let inside = inside && columns.taps.contains(&tap);
                    if let Some(pixel) = pixels.get_mut(count) {
                        *pixel = if inside { x.part(at, channels) } else { None };
                    }
                    if inside {
                        at += slide.x.dilation * channels;
                    }
                    count += 1;
                }
            }
            let taps = pixels.get(..count).unwrap_or(&[]);
            for channel in (0..channels).step_by(LANES) {
                // SAFETY: each pixel has the eight channels, and the layer their weights for each tap: it fits.
                let sums = unsafe { filter(p, taps, channel) };
                requantize::store(&p.layer, sums, y, to + channel, channel, LANES);
            }
        }
    }
}

/// The products of eight channels.
///
/// # Safety
/// Each pixel has the channels from `channel` on, and the layer their weights for as many taps.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn filter(p: &DepthwiseI8<'_>, taps: &[Option<Memory<'_>>], channel: usize) -> __m256i {
    let outside = _mm256_set1_epi32(p.layer.zero_point);
    let mut weights = p.layer.weights.as_ptr().cast::<u8>().wrapping_add(channel);
    let mut sums = _mm256_setzero_si256();
    for pixel in taps {
        // SAFETY: the pixel has eight elements there, and so have the weights of a tap.
        let (x, w) = unsafe {
            let x = match pixel {
                Some(pixel) => wide(pixel.start.wrapping_add(channel)),
                None => outside,
            };
            (x, wide(weights))
        };
        sums = _mm256_add_epi32(sums, _mm256_mullo_epi32(x, w));
        weights = weights.wrapping_add(p.shape.channels);
    }
    sums
}

/// Eight elements as 32 bits.
///
/// # Safety
/// So many are there.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn wide(from: *const u8) -> __m256i {
    // SAFETY: they are there.
    unsafe { _mm256_cvtepi8_epi32(_mm_loadl_epi64(from.cast())) }
}

//! Depthwise convolutions in place: four channels of two pixels at a time.

use super::super::window::{Memory, MemoryMut};
use super::depthwise::MOST;
use super::requantize::{Scale, write};
use crate::kernels::depthwise::Row;
use crate::kernels::depthwise_ring::{self, LANES as CHANNELS, Unread, bring, ring_rows};
use crate::kernels::slide::Band;
use crate::kernels::{DepthwiseI8, Elements, Rows, Sink, Units};
use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_unpacklo_epi32, _mm256_add_epi32, _mm256_cvtepi8_epi32, _mm256_mullo_epi32,
    _mm256_set1_epi32, _mm256_setzero_si256,
};
use core::ops::Range;

/// As the portable kernel. The rows of a unit's channels lie in `window`, which is that of `ring`, their results in
/// `result`, which is that of `y`.
#[target_feature(enable = "avx2")]
pub(super) fn ring(
    p: &DepthwiseI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    ring: impl Sink<i8>,
    [window, result]: [MemoryMut<'_>; 2],
    units: Units,
) {
    let slide = &p.shape.slide;
    let fours = p.shape.channels / CHANNELS;
    for unit in units {
        if unit >= fours {
            let first = unit + (CHANNELS - 1) * fours;
            depthwise_ring::channels::<1, _>(&p.shape, &p.layer, first, x, y, ring, units);
            continue;
        }
        let first = CHANNELS * unit;
        let (lie, mut unread) = (ring_rows(slide, CHANNELS), Unread::new());
        let filter = Filter::new(p, first, lie);
        for unit in units.along(0..slide.to.held) {
            let band = slide.band(unit);
            for row in unread.lacking(slide, &band, units) {
                bring(&p.shape, lie, row, first, x, ring);
            }
            let to = slide.row(unit);
            let whole = filter.row(&band, window.read(), result, to + first);
            let top = lie.start(band.picture + band.rows.first);
            let row = Row { p: &p.shape, layer: &p.layer, from: lie, step: CHANNELS, rows: &band.rows.taps, top };
            for columns in [0..whole.start, whole.end..slide.x.output] {
                row.block::<CHANNELS>(first, 0, ring, y, to, units.along(columns));
            }
        }
    }
}

/// The filters of four channels, of which two stand side by side.
struct Filter<'a> {
    p: &'a DepthwiseI8<'a>,
    /// How the image's rows lie.
    from: Rows,
    scale: Scale,
    weights: [__m256i; MOST],
}

impl<'a> Filter<'a> {
    /// Those of the channels from `first` on.
    #[target_feature(enable = "avx2")]
    fn new(p: &'a DepthwiseI8<'a>, first: usize, from: Rows) -> Self {
        let mut weights = [_mm256_setzero_si256(); MOST];
        for (weights, pixel) in weights.iter_mut().zip(p.layer.weights.chunks(p.shape.channels.max(1))) {
            let four = pixel.get(first..).and_then(<[i8]>::first_chunk).copied().unwrap_or_default();
            let four = i32::from_le_bytes(four.map(i8::cast_unsigned));
            *weights = wide(four, four);
        }
        Self { p, from, scale: Scale::twice(&p.layer, first), weights }
    }

    /// A row of the result, which starts at `to`, by pairs of pixels whose columns lie in the image. Returns which.
    #[target_feature(enable = "avx2")]
    fn row(&self, band: &Band, x: Memory<'_>, y: MemoryMut<'_>, to: usize) -> Range<usize> {
        let slide = &self.p.shape.slide;
        let (width, inside) = (slide.x.taps, &band.rows.taps);
        // What the rows outside of the image add.
        let zero_point = _mm256_set1_epi32(self.p.layer.zero_point);
        let mut outside = _mm256_setzero_si256();
        for row in (0..inside.start).chain(inside.end..slide.y.taps) {
            for weights in self.weights.iter().skip(row * width).take(width) {
                outside = _mm256_add_epi32(outside, _mm256_mullo_epi32(*weights, zero_point));
            }
        }
        let (dilation, next) = (slide.x.dilation * CHANNELS, slide.x.stride * CHANNELS);
        let len = width.saturating_sub(1) * dilation + next + CHANNELS;
        let whole = slide.x.whole();
        for column in whole.clone().step_by(2).take(whole.len() / 2) {
            let mut sums = outside;
            for row in inside.clone() {
                let at = self.from.start(band.row(slide, row)) + (column * slide.x.stride - slide.x.before) * CHANNELS;
                let Some(pixels) = x.part(at, len) else { return whole.start..column };
                for (tap, weights) in self.weights.iter().skip(row * width).take(width).enumerate() {
                    let at = pixels.start.wrapping_add(tap * dilation);
                    // SAFETY: it is one of `width` taps, and the next pixel's lies `next` farther: both are in
                    // `pixels`.
                    let [one, other] =
                        [at, at.wrapping_add(next)].map(|at| unsafe { at.cast::<i32>().read_unaligned() });
                    sums = _mm256_add_epi32(sums, _mm256_mullo_epi32(wide(one, other), *weights));
                }
            }
            let results = self.scale.results(&self.p.layer, sums);
            for (four, column) in results.chunks(CHANNELS).zip(column..) {
                write(y, to + column * slide.pixel, four);
            }
        }
        whole.start..whole.end - whole.len() % 2
    }
}

/// Four bytes and four others as 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn wide(one: i32, other: i32) -> __m256i {
    _mm256_cvtepi8_epi32(_mm_unpacklo_epi32(_mm_cvtsi32_si128(one), _mm_cvtsi32_si128(other)))
}

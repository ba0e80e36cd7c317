//! Layers of i8 whose weights are packed for machines that multiply two pairs of 16 bits at once.
//!
//! A pixel's window is widened into scratch first, its *column*: for each run of neighbouring elements, pairs of
//! 16 bits (see [`arch`]). Two pixels of a row go side by side, word by word in turn, and are then multiplied with four
//! channels at a time. Depthwise layers take their taps in pairs, four channels at a time, straight from the image.

use super::arch::Run;
use super::conv::{Conv, ConvLayer};
use super::dense::{Dense, DenseLayer};
use super::depthwise::{Depthwise, DepthwiseLayer};
use super::slide::{Band, Inside};
use super::{Elements, Sink, arch};
use core::ops::Range;

/// Channels that are computed together.
pub(super) const LANES: usize = 4;
/// Words of four channels besides their weights.
pub(super) const QUAD_WORDS: usize = 9;
/// Words of four depthwise channels besides their weights of pairs of taps.
pub(super) const DEPTHWISE_WORDS: usize = 11;

/// Packed weights of a quantised layer.
///
/// For each four channels of the result, the last filled up with zeros: the biases of channels 0 and 2; for each pair
/// of the column two words, whose halves are `256 * w1 + w0` and `256 * w3 + w2` of the two elements; then the
/// multiplier of channel 0, one byte `s` a channel, multiplier and bias of channel 1, the multiplier of channel 2,
/// multiplier and bias of channel 3. A channel's results are its sums, which include the bias minus the
/// argument's zero point times the sum of its weights, times `multiplier * 2^(-32 - s)`.
///
/// An odd channel's sum without its bias stays below 2^23 in magnitude, its weights are above -128, and
/// `s` is at most 19.
///
/// Of a depthwise layer, for each four channels: their biases; for each pair of taps a word a channel with the weights
/// of both; the weights of an odd tap, or zeros, of channels 0 and 2 in a word and of 1 and 3 in another; four
/// multipliers; one byte `s` a channel. Biases and weights are doubled, and twice a sum stays below 2^31 in magnitude.
#[derive(Clone, Copy, Debug)]
pub struct PackedI8<'a> {
    /// The weights and what belongs to them.
    pub packed: &'a [i32],
    /// Words of a column, an even number; pairs of taps of a depthwise layer.
    pub pairs: usize,
    /// Channels of the result.
    pub channels: usize,
    /// The argument's zero point: what stands outside the image.
    pub from: i32,
    /// The result's zero point.
    pub to: i32,
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

/// Parameters of [`conv2d_packed_i8`].
pub type ConvPackedI8<'a> = ConvLayer<PackedI8<'a>>;
/// Parameters of [`dense_packed_i8`] and [`dense_direct_i8`].
pub type DensePackedI8<'a> = DenseLayer<PackedI8<'a>>;
/// Parameters of [`depthwise_conv2d_packed_i8`].
pub type DepthwisePackedI8<'a> = DepthwiseLayer<PackedI8<'a>>;

/// Words of a column that a run of `len` elements takes.
fn pairs(len: usize) -> usize {
    len / 4 * 2 + (len % 4).div_ceil(2)
}

/// Each row of `x` times the weights. A unit is a row; two rows are read before the results of either are written.
/// `columns` is scratch of two columns.
pub fn dense_packed_i8(
    p: &DensePackedI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    columns: impl Sink<i32>,
    units: Range<usize>,
) {
    let Dense { inputs, from, to, .. } = p.shape;
    let row = |row| {
        let start = from.start(row);
        x.part(start..start + inputs)
    };
    let mut unit = units.start;
    while unit + 1 < units.end {
        arch::widen_pair([row(unit), row(unit + 1)], columns, 0);
        arch::multiply_pair(&p.layer, columns, y, [to.start(unit), to.start(unit + 1)]);
        unit += 2;
    }
    if unit < units.end {
        arch::widen(row(unit), columns, 0, 1);
        arch::multiply(&p.layer, columns, y, to.start(unit));
    }
}

/// As [`dense_packed_i8`] for rows of a multiple of four elements, straight from their bytes: results are written
/// before the row is read for the next ones.
pub fn dense_direct_i8(p: &DensePackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    let Dense { inputs, from, to, .. } = p.shape;
    for unit in units {
        let start = from.start(unit);
        arch::multiply_row(&p.layer, x.part(start..start + inputs), y, to.start(unit));
    }
}

/// A unit is a row of the result, pictures in order. The windows of two pixels side by side are read before the
/// channels of either are written. `columns` is scratch of two columns. One group.
pub fn conv2d_packed_i8(
    p: &ConvPackedI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    columns: impl Sink<i32>,
    units: Range<usize>,
) {
    let slide = &p.shape.slide;
    for unit in units {
        let band = slide.band(unit);
        let pixels = Pixels { p, band: &band };
        let mut to = slide.row(unit);
        let mut column = 0;
        while column + 1 < slide.x.output {
            pixels.widen(&[slide.x.inside(column), slide.x.inside(column + 1)], x, columns);
            arch::multiply_pair(&p.layer, columns, y, [to, to + slide.pixel]);
            to += 2 * slide.pixel;
            column += 2;
        }
        if column < slide.x.output {
            pixels.widen(&[slide.x.inside(column)], x, columns);
            arch::multiply(&p.layer, columns, y, to);
        }
    }
}

/// A unit is a row of the result, pictures in order. Four channels of a pixel are written after all their taps have
/// been read. One result a channel, a multiple of four channels. `scratch` is two words for each pair of taps, a word,
/// and a byte for each channel.
pub fn depthwise_conv2d_packed_i8(
    p: &DepthwisePackedI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    scratch: impl Sink<i32>,
    units: Range<usize>,
) {
    let Depthwise { slide, channels, .. } = &p.shape;
    let channels = *channels;
    let outside = p.layer.from & 0xff;
    fill(scratch, 2 * p.layer.pairs + 1, channels / LANES, 1, outside | outside << 8);
    for unit in units {
        let band = slide.band(unit);
        let to = slide.row(unit);
        let mut column = 0;
        while column < slide.x.output {
            let columns = slide.x.inside(column);
            let whole = |columns: &Inside| columns.taps.len() == slide.x.taps;
            let mut end = column + 1;
            if band.rows.taps.len() == slide.y.taps && whole(&columns) {
                while end < slide.x.output && whole(&slide.x.inside(end)) {
                    end += 1;
                }
            }
            let taps = (0..slide.y.taps).flat_map(|row| {
                let rows = band.rows.taps.contains(&row).then(|| slide.from.start(band.row(slide, row)));
                let columns = &columns;
                (0..slide.x.taps).map(move |tap| {
                    let inside = rows.filter(|_| columns.taps.contains(&tap));
                    inside.map(|row| row + (columns.first + (tap - columns.taps.start) * slide.x.dilation) * channels)
                })
            });
            let run = Run {
                pixels: end - column,
                step: slide.x.stride * channels,
                to: to + column * slide.pixel,
                to_step: slide.pixel,
            };
            arch::filter(&p.layer, &taps, x, y, scratch, run);
            column = end;
        }
    }
}

/// Pixels of a row.
struct Pixels<'a> {
    p: &'a ConvPackedI8<'a>,
    band: &'a Band,
}

impl Pixels<'_> {
    /// The columns of `N` pixels side by side.
    #[inline(always)]
    fn widen<const N: usize>(&self, columns: &[Inside; N], x: impl Elements<i8>, to: impl Sink<i32>) {
        let Conv { slide, inputs, .. } = &self.p.shape;
        let inputs = *inputs;
        // Neighbouring taps are neighbours in the image too.
        let (runs, len) = if slide.x.dilation == 1 { (1, slide.x.taps * inputs) } else { (slide.x.taps, inputs) };
        let words = N * pairs(len);
        let whole = columns.iter().all(|column| column.taps.len() == slide.x.taps);
        let mut at = 0;
        for tap in 0..slide.y.taps {
            if !self.band.rows.taps.contains(&tap) {
                fill(to, at, runs * words, 1, self.p.layer.from);
                at += runs * words;
                continue;
            }
            let row = slide.from.start(self.band.row(slide, tap));
            if !whole {
                for (pixel, column) in columns.iter().enumerate() {
                    self.cut(row, column, x, to, at + pixel, N);
                }
                at += runs * words;
                continue;
            }
            for run in 0..runs {
                let runs = columns.each_ref().map(|column| {
                    let start = row + (column.first + run * slide.x.dilation) * inputs;
                    x.part(start..start + len)
                });
                if let [a, b] = runs.as_slice() {
                    arch::widen_pair([*a, *b], to, at);
                } else if let [a] = runs.as_slice() {
                    arch::widen(*a, to, at, 1);
                }
                at += words;
            }
        }
    }

    /// A row of the column of a pixel whose window leaves the image: words `at`, `at + step` and so on.
    fn cut(&self, row: usize, column: &Inside, x: impl Elements<i8>, to: impl Sink<i32>, at: usize, step: usize) {
        let Conv { slide, inputs, .. } = &self.p.shape;
        let inputs = *inputs;
        let outside = self.p.layer.from;
        let from = |tap: usize| row + (column.first + (tap - column.taps.start) * slide.x.dilation) * inputs;
        if slide.x.dilation != 1 || inputs.is_multiple_of(4) {
            let words = pairs(inputs) * step;
            for tap in 0..slide.x.taps {
                if column.taps.contains(&tap) {
                    arch::widen(x.part(from(tap)..from(tap) + inputs), to, at + tap * words, step);
                } else {
                    fill(to, at + tap * words, pairs(inputs), step, outside);
                }
            }
            return;
        }
        // Taps share words: four elements at a time.
        let len = slide.x.taps * inputs;
        let inside = column.taps.start * inputs..column.taps.end * inputs;
        let element = |index: usize| {
            if inside.contains(&index) {
                i32::from(x.at(row + column.first * inputs + (index - inside.start)))
            } else {
                outside
            }
        };
        let pair = |low: usize, high: usize| element(low) & 0xffff | element(high) << 16;
        for first in (0..len).step_by(4) {
            let word = at + first / 2 * step;
            let upper = if len - first == 2 { 1 } else { 2 };
            to.put(word, pair(first, first + upper));
            if len - first > 2 {
                to.put(word + step, pair(first + 1, first + 3));
            }
        }
    }
}

/// `count` words from `at` on, `step` apart, whose halves are `value`.
fn fill(columns: impl Sink<i32>, at: usize, count: usize, step: usize, value: i32) {
    let word = value & 0xffff | value << 16;
    for index in 0..count {
        columns.put(at + index * step, word);
    }
}

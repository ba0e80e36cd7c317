//! Layers of i8 whose weights are packed for machines that multiply two pairs of 16 bits at once.
//!
//! A pixel's window is widened into scratch first, its *column*: for each run of neighbouring elements, pairs of
//! 16 bits (see [`arch`]). Two pixels of a row go side by side, word by word in turn, and are then multiplied with four
//! channels at a time. Depthwise layers take their taps in pairs, four channels at a time, straight from the image.

use super::arch::{Pairs, Run, Runs, pairs};
use super::conv::{Conv, ConvLayer};
use super::dense::{Dense, DenseLayer};
use super::depthwise::DepthwiseLayer;
use super::slide::{Band, Inside, Slide};
use super::{Elements, Sink, Units, arch};
use core::hint::black_box;
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

/// Each row of `x` times the weights. A unit is a row; two rows are read before the results of either are written.
/// `columns` is scratch of two columns.
#[inline(never)]
pub fn dense_packed_i8(
    p: &DensePackedI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    columns: impl Sink<i32>,
    mut units: Units,
) {
    let Dense { inputs, from, to, .. } = p.shape;
    let run = Runs { count: 1, stride: 0, whole: inputs, first: 0, len: inputs, words: 2 * pairs(inputs) };
    while units.count() > 1 {
        let p = black_box(p);
        let Dense { from, to, .. } = p.shape;
        let together = from.together(units).min(to.together(units));
        let pair = [units.at(0), units.at(1)];
        let pairs = Pairs {
            count: (together / 2).max(1),
            from: pair.map(|unit| from.start(unit)),
            step: units.step(2 * from.stride),
            at: 0,
            to: pair.map(|unit| to.start(unit)),
            to_step: units.step(2 * to.stride),
        };
        arch::multiply_pairs(&p.layer, &run, &pairs, x, columns, y);
        units = units.after(2 * pairs.count);
    }
    for unit in units {
        arch::widen(&run, x, from.start(unit), columns, 0, 1);
        arch::multiply(&p.layer, columns, y, to.start(unit));
    }
}

/// As [`dense_packed_i8`] for rows of a multiple of four elements, straight from their bytes: results are written
/// before the row is read for the next ones.
pub fn dense_direct_i8(p: &DensePackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    let Dense { inputs, from, to, .. } = p.shape;
    for unit in units {
        let start = from.start(unit);
        arch::multiply_row(&p.layer, x.part(start..start + inputs), y, to.start(unit));
    }
}

/// A unit is a row of the result, pictures in order. The windows of two pixels side by side are read before the
/// channels of either are written. `columns` is scratch of two columns. One group.
#[inline(never)]
pub fn conv2d_packed_i8(
    p: &ConvPackedI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    columns: impl Sink<i32>,
    units: Units,
) {
    for unit in units {
        // Read again for each row: held from row to row, the numbers would fill the stack.
        let p = black_box(p);
        let band = p.shape.slide.band(unit);
        let Slide { x: taps, .. } = &p.shape.slide;
        Pixels { p, band: &band }.row(p.shape.slide.row(unit), units.along(0..taps.output), x, y, columns);
    }
}

/// A unit is a row of the result, pictures in order. Four channels of a pixel are written after all their taps have
/// been read. One result a channel, a multiple of four channels. `scratch` is two words for each pair of taps, a word,
/// and a byte for each channel.
#[inline(never)]
pub fn depthwise_conv2d_packed_i8(
    p: &DepthwisePackedI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    scratch: impl Sink<i32>,
    units: Units,
) {
    let channels = p.shape.channels;
    let outside = p.layer.from & 0xff;
    let zeros = 2 * p.layer.pairs + 1;
    arch::fill(scratch, zeros..zeros + channels / LANES, outside | outside << 8);
    let whole = p.shape.slide.x.whole();
    for unit in units {
        let band = p.shape.slide.band(unit);
        let mut left = units.along(0..p.shape.slide.x.output);
        while left.count() > 0 {
            // Read again for each run: held from run to run, the numbers would fill the stack.
            let p = black_box(p);
            let (slide, column) = (&p.shape.slide, left.at(0));
            let inside = band.rows.taps.len() == slide.y.taps && whole.contains(&column);
            let run = Run {
                pixels: if inside { left.within(&whole) } else { 1 },
                step: left.step(slide.x.stride * p.shape.channels),
                to: slide.row(unit) + column * slide.pixel,
                to_step: left.step(slide.pixel),
            };
            let window = Window { slide, band: &band, columns: slide.x.inside(column), channels: p.shape.channels };
            arch::filter(&p.layer, &window, x, y, scratch, &run);
            left = left.after(run.pixels);
        }
    }
}

/// The taps of a depthwise pixel.
pub(super) struct Window<'a> {
    pub(super) slide: &'a Slide,
    pub(super) band: &'a Band,
    pub(super) columns: Inside,
    pub(super) channels: usize,
}

impl Window<'_> {
    /// The taps of tap row `row` that lie in the image, and where the first of them finds its channels there.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> (Range<usize>, usize) {
        let Self { slide, band, columns, channels } = self;
        if !band.rows.taps.contains(&row) {
            return (0..0, 0);
        }
        (columns.taps.clone(), slide.from.start(band.row(slide, row)) + columns.first * channels)
    }

    /// Elements from tap to tap.
    #[inline(always)]
    pub(super) fn step(&self) -> usize {
        self.slide.x.dilation * self.channels
    }
}

/// Pixels of a row of the result.
struct Pixels<'a> {
    p: &'a ConvPackedI8<'a>,
    band: &'a Band,
}

impl Pixels<'_> {
    /// The results of `left`, all pixels of the row that starts at `row`.
    #[inline(always)]
    fn row(&self, row: usize, mut left: Units, x: impl Elements<i8>, y: impl Sink<i8>, columns: impl Sink<i32>) {
        let Self { p, .. } = self;
        let Slide { x: taps, pixel, .. } = &p.shape.slide;
        let whole = if self.side_by_side() { taps.whole() } else { 0..0 };
        while left.count() > 1 {
            let column = left.at(0);
            let pairs = if whole.contains(&column) { left.within(&whole) / 2 } else { 0 };
            if pairs == 0 {
                arch::fill(columns, 0..2 * p.layer.pairs, p.layer.from);
                self.widen(column, [0, 2], x, columns);
                self.widen(left.at(1), [1, 2], x, columns);
            }
            self.multiply(left, pairs, x, columns, y, row + column * pixel);
            left = left.after(2 * pairs.max(1));
        }
        for column in left {
            arch::fill(columns, 0..p.layer.pairs, p.layer.from);
            self.widen(column, [0, 1], x, columns);
            arch::multiply(&p.layer, columns, y, row + column * pixel);
        }
    }

    /// Where the row of tap `tap` starts in the image.
    #[inline(always)]
    fn start(&self, tap: usize) -> usize {
        let slide = &self.p.shape.slide;
        slide.from.start(self.band.row(slide, tap))
    }

    /// Neighbouring taps are neighbours in the image too, and its rows follow each other.
    #[inline(always)]
    fn side_by_side(&self) -> bool {
        let rows = &self.band.rows.taps;
        let in_order = || self.start(rows.start) <= self.start(rows.end - 1);
        self.p.shape.slide.x.dilation == 1 && !rows.is_empty() && in_order()
    }

    /// A row of each tap, or a tap of it alone where its neighbours lie elsewhere, in `pixels` columns.
    #[inline(always)]
    fn run(&self, pixels: usize) -> Runs {
        let Conv { slide, inputs, .. } = &self.p.shape;
        let whole = if slide.x.dilation == 1 { slide.x.taps * inputs } else { *inputs };
        Runs { count: 1, stride: slide.x.dilation * inputs, whole, first: 0, len: whole, words: pixels * pairs(whole) }
    }

    /// The results of pairs of pixels side by side all of whose columns lie in the image, the first of those that are
    /// `left`; or, if there are no such `pairs`, those of the pair that is in `columns`.
    #[allow(clippy::too_many_arguments, reason = "windows and places in them")]
    #[inline(never)]
    fn multiply(
        &self,
        left: Units,
        pairs: usize,
        x: impl Elements<i8>,
        columns: impl Sink<i32>,
        y: impl Sink<i8>,
        to: usize,
    ) {
        let Conv { slide, inputs, .. } = &self.p.shape;
        let (rows, run) = (&self.band.rows.taps, self.run(2));
        if pairs > 0 {
            arch::fill(columns, 0..rows.start * run.words, self.p.layer.from);
            arch::fill(columns, rows.end * run.words..slide.y.taps * run.words, self.p.layer.from);
        }
        let first = self.start(rows.start) + slide.x.inside(left.at(0)).first * inputs;
        let [step, to_step] = [slide.x.stride * inputs, slide.pixel].map(|size| left.step(size));
        let count = if pairs > 0 { rows.len() } else { 0 };
        let runs = Runs { count, stride: slide.y.dilation * slide.from.stride, ..run };
        let pairs = Pairs {
            count: pairs.max(1),
            from: [first, first.wrapping_add(step)],
            step: step.wrapping_mul(2),
            at: rows.start * run.words,
            to: [to, to.wrapping_add(to_step)],
            to_step: to_step.wrapping_mul(2),
        };
        arch::multiply_pairs(&self.p.layer, &runs, &pairs, x, columns, y);
    }

    /// The column of the pixel at `column`, `pixel` of `count` side by side.
    #[inline(never)]
    fn widen(&self, column: usize, [pixel, count]: [usize; 2], x: impl Elements<i8>, to: impl Sink<i32>) {
        let side_by_side = self.side_by_side();
        let rows = self.band.rows.taps.clone();
        let calls = if side_by_side { rows.start..rows.end.min(rows.start + 1) } else { rows };
        for tap in calls {
            let p = black_box(self.p);
            let Conv { slide, inputs, .. } = &p.shape;
            let (run, Inside { taps, first }) = (self.run(count), slide.x.inside(column));
            let (part, row, skipped) = if slide.x.dilation == 1 {
                (Runs { first: taps.start * inputs, len: taps.len() * inputs, ..run }, run.words, 0)
            } else {
                (Runs { count: taps.len(), ..run }, slide.x.taps * run.words, taps.start * run.words)
            };
            let stride = slide.y.dilation * slide.from.stride;
            let part = if side_by_side { Runs { count: self.band.rows.taps.len(), stride, ..part } } else { part };
            arch::widen(&part, x, self.start(tap) + first * inputs, to, tap * row + skipped + pixel, count);
        }
    }
}

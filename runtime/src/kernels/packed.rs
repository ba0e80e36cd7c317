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
use super::{Elements, Rows, Sink, Units, arch};
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
/// For each four channels of the result, the last filled up with zeros: `256 * b1 + b0`, `b0`, `256 * b3 + b2` and `b2`
/// of their biases; for each pair of the column two words, whose halves are `256 * w1 + w0` and `256 * w3 + w2` of the
/// two elements; then the multiplier of channel 0, one byte `s` a channel, and the other multipliers. A channel's
/// results are its sums, which include the bias minus the argument's zero point times the sum of its weights, times
/// `multiplier * 2^(-32 - s)`.
///
/// An odd channel's sum stays below 2^23 in magnitude, with its bias and without it, its weights are above -128, and
/// `s` is at most 19.
///
/// Of a depthwise layer, for each four channels: their biases; for each pair of taps a word a channel with the weights
/// of both; the weights of an odd tap, or zeros, of channels 0 and 2 in a word and of 1 and 3 in another; four
/// multipliers; one byte `s` a channel. Biases and weights are doubled, or taken as often as makes the machine's
/// rounding that of the definition, and so taken a sum stays below 2^31 in magnitude. Results are such sums times
/// `multiplier * 2^(-33 - s)`.
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
        let starts = |rows: Rows| (rows.start(units.at(0)), rows.start(units.at(1)));
        let ((from, next), (to, next_to)) = (starts(from), starts(to));
        let pairs = Pairs {
            count: (together / 2).max(1),
            from,
            step: next.wrapping_sub(from),
            at: 0,
            to,
            to_step: next_to.wrapping_sub(to),
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
#[inline(never)]
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
        Pixels { p, band: &band, x, y, columns }.row(p.shape.slide.row(unit), units.along(0..taps.output));
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
    for unit in units {
        let mut left = units.along(0..p.shape.slide.x.output);
        while left.count() > 0 {
            // Read again for each run: held from run to run, the numbers would fill the stack.
            let p = black_box(p);
            let band = p.shape.slide.band(unit);
            let (slide, column) = (&p.shape.slide, left.at(0));
            let whole = slide.x.whole();
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
struct Pixels<'a, X, Y, C> {
    p: &'a ConvPackedI8<'a>,
    band: &'a Band,
    x: X,
    y: Y,
    columns: C,
}

impl<X: Elements<i8>, Y: Sink<i8>, C: Sink<i32>> Pixels<'_, X, Y, C> {
    /// The results of `left`, all pixels of the row that starts at `row`.
    #[inline(always)]
    fn row(&self, row: usize, mut left: Units) {
        let Self { p, y, columns, .. } = *self;
        let Slide { x: taps, pixel, .. } = &p.shape.slide;
        let whole = if self.side_by_side() { taps.whole() } else { 0..0 };
        while left.count() > 0 {
            let (column, count) = (left.at(0), left.count().min(2));
            let pairs = if whole.contains(&column) { left.within(&whole) / 2 } else { 0 };
            if pairs == 0 {
                arch::fill(columns, 0..count * p.layer.pairs, p.layer.from);
                (0..count).for_each(|index| self.widen(left.at(index), [index, count]));
            }
            let to = row + column * pixel;
            if count == 1 {
                arch::multiply(&p.layer, columns, y, to);
                return;
            }
            self.multiply(left, pairs, to);
            left = left.after(2 * pairs.max(1));
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
    #[inline(always)]
    fn multiply(&self, left: Units, pairs: usize, to: usize) {
        let Self { x, y, columns, .. } = *self;
        let Conv { slide, inputs, .. } = &self.p.shape;
        let (rows, run) = (&self.band.rows.taps, self.run(2));
        if pairs > 0 {
            arch::fill(columns, 0..rows.start * run.words, self.p.layer.from);
            arch::fill(columns, rows.end * run.words..slide.y.taps * run.words, self.p.layer.from);
        }
        let first = self.start(rows.start) + slide.x.inside(left.at(0)).first * inputs;
        let (step, to_step) = (left.step(slide.x.stride * inputs), left.step(slide.pixel));
        let count = if pairs > 0 { rows.len() } else { 0 };
        let runs = Runs { count, stride: slide.y.dilation * slide.from.stride, ..run };
        let pairs = Pairs { count: pairs.max(1), from: first, step, at: rows.start * run.words, to, to_step };
        arch::multiply_pairs(&self.p.layer, &runs, &pairs, x, columns, y);
    }

    /// The column of the pixel at `column`, `pixel` of `count` side by side.
    #[inline(always)]
    fn widen(&self, column: usize, place: [usize; 2]) {
        let rows = self.band.rows.taps.clone();
        if self.side_by_side() {
            self.widen_rows(rows, column, place);
        } else {
            rows.for_each(|tap| self.widen_rows(tap..tap + 1, column, place));
        }
    }

    /// Its part of tap rows `rows`, one, or more whose taps lie side by side.
    #[inline(never)]
    fn widen_rows(&self, rows: Range<usize>, column: usize, [pixel, count]: [usize; 2]) {
        let Conv { slide, inputs, .. } = &self.p.shape;
        let (run, Inside { taps, first }) = (self.run(count), slide.x.inside(column));
        let from = self.start(rows.start) + first * inputs;
        let (part, at) = if slide.x.dilation == 1 {
            let (first, len) = (taps.start * inputs, taps.len() * inputs);
            (Runs { count: rows.len(), stride: slide.row_step(), first, len, ..run }, rows.start * run.words + pixel)
        } else {
            (Runs { count: taps.len(), ..run }, (rows.start * slide.x.taps + taps.start) * run.words + pixel)
        };
        arch::widen(&part, self.x, from, self.columns, at, count);
    }
}

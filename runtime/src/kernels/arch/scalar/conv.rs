//! Windows times filters: convolutions and dense layers.

use super::super::window::{Memory, MemoryMut};
use super::lines::Lines;
use super::scale::{Scale, store};
use super::{Dot, LANES, dot, outside};
use crate::kernels::slide::Inside;
use crate::kernels::weights::WeightsI8;
use crate::kernels::{Conv, ConvI8, DenseI8, Units};
use core::hint::black_box;
use core::ops::Range;
use core::ptr::null;

#[inline(never)]
pub(super) fn conv(p: &ConvI8<'_>, x: Memory<'_>, y: MemoryMut<'_>, units: Units) {
    // A copy for the numbers of each layer would fill flash.
    let p = black_box(p);
    let filters = Filters::new(&p.layer, p.shape.size(), x, y);
    let mut pixel = Pixel { p, filters, rows: 0..0, lines: Lines::one(0), columns: 0..0, first: 0, row: 0, to: 0 };
    if !pixel.filters.hold(p.shape.groups * p.shape.outputs) {
        return;
    }
    for unit in units {
        pixel.enter_row(unit);
        for column in units.along(0..pixel.p.shape.slide.x.output) {
            pixel.enter(column);
            if pixel.is_whole() {
                pixel.all();
            } else {
                pixel.pieces();
            }
        }
    }
}

#[inline(never)]
pub(super) fn dense(p: &DenseI8<'_>, x: Memory<'_>, y: MemoryMut<'_>, units: Units) {
    // As above.
    let p = black_box(p);
    let shape = &p.shape;
    let mut filters = Filters::new(&p.layer, shape.inputs, x, y);
    if !filters.hold(shape.outputs) {
        return;
    }
    for row in units {
        filters.window(&Lines::one(shape.from.start(row)), 0, shape.inputs);
        filters.all(shape.outputs, shape.to.start(row));
    }
}

impl Conv {
    /// Weights of a filter.
    #[inline(always)]
    const fn size(&self) -> usize {
        self.slide.y.taps * self.filter_row()
    }

    /// Weights of a row of a filter.
    #[inline(always)]
    const fn filter_row(&self) -> usize {
        self.slide.x.taps * self.inputs
    }

    /// Neighbouring taps are neighbours in the image too.
    #[inline(always)]
    const fn side_by_side(&self) -> bool {
        self.slide.x.dilation == 1 && self.groups == 1
    }
}

/// A pixel of a convolution. What is known of it is here and not held in registers, which would be kept on the stack by
/// each function that it goes through.
struct Pixel<'a> {
    p: &'a ConvI8<'a>,
    filters: Filters<'a>,
    /// The tap rows inside the image, and where they lie.
    rows: Range<usize>,
    lines: Lines,
    /// The tap columns inside the image.
    columns: Range<usize>,
    /// The pixel of the first of them.
    first: usize,
    /// Where its row of the result starts.
    row: usize,
    /// Where its results go.
    to: usize,
}

impl Pixel<'_> {
    /// Goes to row `unit` of the result.
    #[inline(never)]
    fn enter_row(&mut self, unit: usize) {
        let slide = &self.p.shape.slide;
        let band = slide.band(unit);
        let start = slide.from.start(band.picture + band.rows.first);
        self.lines = Lines::new(slide.from, start, band.rows.taps.len(), slide.y.dilation);
        self.filters.dot.ring = slide.from.held * slide.from.stride;
        self.rows = band.rows.taps;
        self.row = slide.row(unit);
    }

    /// Goes to a column of the row.
    #[inline(never)]
    fn enter(&mut self, column: usize) {
        let slide = &self.p.shape.slide;
        Inside { taps: self.columns, first: self.first } = slide.x.inside(column);
        self.to = self.row + column * slide.pixel;
    }

    /// All taps lie in the image.
    #[inline(always)]
    fn is_whole(&self) -> bool {
        let Conv { slide, .. } = &self.p.shape;
        self.columns.len() == slide.x.taps && self.rows.len() == slide.y.taps && self.p.shape.side_by_side()
    }

    /// The results of a pixel whose taps all lie in the image.
    #[inline(always)]
    fn all(&mut self) {
        let shape = &self.p.shape;
        self.filters.window(&self.lines, self.first * shape.inputs, shape.filter_row());
        self.filters.all(shape.outputs, self.to);
    }

    /// Those of one whose window leaves the image, or is made of several.
    #[inline(always)]
    fn pieces(&mut self) {
        for group in 0..self.p.shape.groups {
            let end = (group + 1) * self.p.shape.outputs;
            let mut channel = group * self.p.shape.outputs;
            while channel < end {
                // The last four include some that were there before, unless there are fewer.
                let alone = self.p.shape.outputs < LANES;
                channel = if alone { channel } else { channel.min(end - LANES) };
                self.outside(channel, alone);
                self.inside(group, channel);
                self.filters.finish(channel, alone, self.to);
                channel += if alone { 1 } else { LANES };
            }
        }
        self.filters.dot.filter = self.p.shape.size();
    }

    /// The sums of the taps outside the image, of four channels or of one.
    #[inline(never)]
    fn outside(&mut self, channel: usize, alone: bool) {
        let (shape, filters) = (&self.p.shape, &mut self.filters);
        let (size, row) = (shape.size(), shape.filter_row());
        filters.dot.sums = [0; LANES];
        filters.dot.scale.fours = 0;
        filters.dot.filter = if alone { 0 } else { size };
        let filter = channel * size;
        let above = filter + self.rows.start * row;
        let right = self.columns.end * shape.inputs;
        filters.outside(filter, 1, self.rows.start * row, 0);
        filters.outside(above, self.rows.len(), self.columns.start * shape.inputs, row);
        filters.outside(above + right, self.rows.len(), row - right, row);
        filters.outside(filter + self.rows.end * row, 1, size - self.rows.end * row, 0);
    }

    /// Adds those inside.
    #[inline(never)]
    fn inside(&mut self, group: usize, channel: usize) {
        let shape = &self.p.shape;
        let taps = self.columns.len();
        let (runs, run) = if shape.side_by_side() { (1, taps * shape.inputs) } else { (taps, shape.inputs) };
        for index in 0..runs {
            let at = (self.first + index * shape.slide.x.dilation) * shape.groups + group;
            self.filters.window(&self.lines, at * shape.inputs, run);
            self.filters.dot.w_skip = shape.filter_row() - run;
            let row = channel * shape.slide.y.taps + self.rows.start;
            self.filters.run(row * shape.filter_row() + self.columns.start * shape.inputs + index * run);
        }
    }
}

/// The filters of a layer.
struct Filters<'a> {
    layer: &'a WeightsI8<'a>,
    x: Memory<'a>,
    y: MemoryMut<'a>,
    dot: Dot,
}

impl<'a> Filters<'a> {
    /// Those of `size` weights each.
    #[inline(always)]
    fn new(layer: &'a WeightsI8<'a>, size: usize, x: Memory<'a>, y: MemoryMut<'a>) -> Self {
        let dot = Dot {
            sums: [0; LANES],
            scale: Scale::new(layer),
            x: null(),
            len: 0,
            rows: 0,
            x_skip: 0,
            w: null(),
            w_skip: 0,
            filter: size,
            turn: 0,
            ring: 0,
        };
        Self { layer, x, y, dot }
    }

    /// There are so many.
    #[inline(always)]
    fn hold(&self, channels: usize) -> bool {
        let weights = channels.checked_mul(self.dot.filter);
        weights.is_some_and(|weights| weights <= self.layer.weights.len()) && self.dot.scale.holds(self.layer, channels)
    }

    /// The window is `len` elements of each of the lines from `at` on, all of a filter's row; without rows if it does not
    /// lie in `x`.
    #[inline(never)]
    fn window(&mut self, lines: &Lines, at: usize, len: usize) {
        let fits = len > 0 && lines.fit(at, len, self.x.bytes);
        self.dot.x = self.x.start.wrapping_add(lines.from.wrapping_add(at));
        self.dot.rows = if fits { lines.count } else { 0 };
        (self.dot.len, self.dot.x_skip, self.dot.w_skip) = (len, lines.step.wrapping_sub(len), 0);
        self.dot.turn = lines.turn;
    }

    /// The results of the first `channels` for the window.
    #[inline(never)]
    fn all(&mut self, channels: usize, to: usize) {
        self.dot.sums = [0; LANES];
        if channels < LANES {
            return self.few(channels, to);
        }
        if self.dot.scale.aim(self.layer, 0, channels / LANES, self.y, to) {
            self.run(0);
        }
        if !channels.is_multiple_of(LANES) {
            // The last four include some that were there before.
            let channel = channels - LANES;
            if self.dot.scale.aim(self.layer, channel, 1, self.y, to + channel) {
                self.run(channel * self.dot.filter);
            }
        }
    }

    /// As [`all`](Self::all) for fewer channels than four.
    #[inline(never)]
    fn few(&mut self, channels: usize, to: usize) {
        let size = core::mem::take(&mut self.dot.filter);
        self.dot.scale.fours = 0;
        for channel in 0..channels {
            self.dot.sums = [0; LANES];
            self.run(channel * size);
            store(self.layer, channel, self.dot.sums[0], self.y, to + channel);
        }
        self.dot.filter = size;
    }

    /// The results of the sums of four channels, or of one.
    #[inline(never)]
    fn finish(&mut self, channel: usize, alone: bool, to: usize) {
        if alone {
            store(self.layer, channel, self.dot.sums[0], self.y, to + channel);
        } else if self.dot.scale.aim(self.layer, channel, 1, self.y, to + channel) {
            self.dot.rows = 0;
            self.run(0);
        }
    }

    /// Adds the products of the zero point with `rows` rows of `len` weights, from that at `weight` on.
    #[inline(never)]
    fn outside(&mut self, weight: usize, rows: usize, len: usize, row: usize) {
        if rows > 0 && len > 0 {
            (self.dot.rows, self.dot.len, self.dot.w_skip) = (rows, len, row.wrapping_sub(len));
            self.dot.w = self.layer.weights.as_ptr().wrapping_add(weight);
            // SAFETY: the weights are some of the filters', of which there are enough.
            unsafe { outside(&mut self.dot, self.layer.zero_point) };
        }
    }

    /// Sums, or as many results as the scale says, of the window and the weights from that at `weight` on.
    #[inline(always)]
    fn run(&mut self, weight: usize) {
        self.dot.w = self.layer.weights.as_ptr().wrapping_add(weight);
        // SAFETY: the window lies in `x` or has no rows, its taps are some of the filters', of which there are enough,
        // and so are scales; results lie in the window that the scale was aimed at.
        unsafe { dot(&mut self.dot) };
    }
}

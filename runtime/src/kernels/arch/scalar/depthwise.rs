//! Depthwise convolutions.

use super::super::window::{Memory, MemoryMut};
use super::lines::Lines;
use super::scale::Scale;
use super::{Filter, LANES, filter};
use crate::kernels::depthwise::{Depthwise, Pixel, Row};
use crate::kernels::depthwise_ring::{RingRows, channels};
use crate::kernels::slide::{Band, Inside};
use crate::kernels::{DepthwiseI8, Elements, Rows, Sink, Units};
use core::hint::black_box;
use core::ops::Range;
use core::ptr::null;

#[inline(never)]
pub(super) fn depthwise(p: &DepthwiseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    // A copy for the numbers of each layer would fill flash.
    let p = black_box(p);
    let Some((window, result)) = x.memory().zip(y.memory_mut()) else { return };
    let mut taps = Taps::new(p, p.shape.slide.from, p.shape.channels, window, result);
    if !taps.are_there() {
        return;
    }
    for unit in units {
        taps.enter_row(&p.shape.slide.band(unit), unit);
        for column in units.along(0..taps.p.shape.slide.x.output) {
            taps.enter(column);
            let (mut output, mut input) = (0, 0);
            while output < taps.filter.w_step {
                let end = output + taps.run;
                let fours = taps.run / LANES;
                taps.multiply(output, input, fours);
                output += fours * LANES;
                while output < end {
                    taps.one(output, if taps.filter.four > 0 { output } else { input }, x, y);
                    output += 1;
                }
                input += 1;
            }
        }
    }
}

/// As the portable kernel: a few channels of all pixels, whose rows are brought into `ring`.
#[inline(never)]
pub(super) fn ring(p: &DepthwiseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, ring: impl Sink<i8>, units: Units) {
    // As above.
    let p = black_box(p);
    let Some((window, result)) = ring.memory().zip(y.memory_mut()) else { return };
    let fours = p.shape.channels / LANES;
    for unit in units {
        if unit < fours {
            let mut rows = RingRows::new::<LANES>(&p.shape.slide);
            let mut taps = Taps::new(p, rows.lie, LANES, window, result);
            if !taps.are_there() {
                return;
            }
            for row in units.along(0..p.shape.slide.to.held) {
                let band = p.shape.slide.band(row);
                rows.bring::<LANES, _>(&p.shape, &band, LANES * unit, x, ring, units);
                taps.enter_row(&band, row);
                for column in 0..p.shape.slide.x.output {
                    taps.enter(column);
                    taps.multiply(LANES * unit, 0, 1);
                }
            }
        } else {
            few(p, unit + (LANES - 1) * fours, x, y, ring, units);
        }
    }
}

/// One channel of all pixels.
#[inline(never)]
fn few(p: &DepthwiseI8<'_>, first: usize, x: impl Elements<i8>, y: impl Sink<i8>, ring: impl Sink<i8>, units: Units) {
    channels::<1, _>(&p.shape, &p.layer, first, x, y, ring, units);
}

/// The taps of a pixel. What is known of them is here and not held in registers, which would be kept on the stack by each
/// function that they go through.
struct Taps<'a> {
    p: &'a DepthwiseI8<'a>,
    x: Memory<'a>,
    y: MemoryMut<'a>,
    filter: Filter,
    /// Elements of a pixel outside the image.
    outside: [i8; LANES],
    /// Results that read neighbouring elements, or all the same one.
    run: usize,
    /// How the image's rows lie.
    from: Rows,
    /// Elements from pixel to pixel.
    step: usize,
    /// The tap rows inside the image, and where they lie.
    rows: Range<usize>,
    lines: Lines,
    /// The tap columns inside the image.
    columns: Range<usize>,
    /// Where the pixel of the first of them starts in a row.
    at: usize,
    /// Where its row of the result starts.
    row: usize,
    /// Where its results go.
    to: usize,
}

impl<'a> Taps<'a> {
    /// Those of `p`, for an image of such rows whose pixels lie `step` apart.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "a zero point of i8")]
    fn new(p: &'a DepthwiseI8<'a>, from: Rows, step: usize, x: Memory<'a>, y: MemoryMut<'a>) -> Self {
        let Depthwise { slide, channels, multiplier } = &p.shape;
        let filter = Filter {
            sums: [0; LANES],
            scale: Scale::new(&p.layer),
            x: null(),
            x_step: slide.x.dilation * step,
            taps: 0,
            x_skip: 0,
            rows: 0,
            w: null(),
            w_step: channels * multiplier,
            w_skip: 0,
            turn: 0,
            ring: 0,
            four: if *multiplier == 1 { LANES } else { 0 },
        };
        Self {
            p,
            x,
            y,
            filter,
            outside: [p.layer.zero_point as i8; LANES],
            run: if *multiplier == 1 { *channels } else { *multiplier },
            from,
            step,
            rows: 0..0,
            lines: Lines::one(0),
            columns: 0..0,
            at: 0,
            row: 0,
            to: 0,
        }
    }

    /// The layer has all of them, and scales.
    #[inline(never)]
    fn are_there(&self) -> bool {
        let slide = &self.p.shape.slide;
        let outputs = self.filter.w_step;
        let weights = outputs.checked_mul(slide.y.taps).and_then(|weights| weights.checked_mul(slide.x.taps));
        weights.is_some_and(|weights| weights <= self.p.layer.weights.len())
            && self.filter.scale.holds(&self.p.layer, outputs)
    }

    /// Goes to row `unit` of the result.
    #[inline(never)]
    fn enter_row(&mut self, band: &Band, unit: usize) {
        let slide = &self.p.shape.slide;
        let start = self.from.start(band.picture + band.rows.first);
        self.lines = Lines::new(self.from, start, band.rows.taps.len(), slide.y.dilation);
        self.rows = band.rows.taps.clone();
        self.row = slide.row(unit);
    }

    /// Goes to a column of the row.
    #[inline(never)]
    fn enter(&mut self, column: usize) {
        let slide = &self.p.shape.slide;
        let Inside { taps, first } = slide.x.inside(column);
        self.columns = taps;
        self.at = first * self.step;
        self.to = self.row + column * slide.pixel;
    }

    /// `fours` times four results from `output` on, which read the elements of pixels from `first` on.
    #[inline(always)]
    fn multiply(&mut self, output: usize, first: usize, fours: usize) {
        if fours == 0 || !self.fit(output, first, fours) {
            return;
        }
        if self.are_whole() {
            self.filter.sums = [0; LANES];
            self.inside(output, first, fours);
        } else {
            for four in 0..fours {
                self.border(output + four * LANES);
                self.inside(output + four * LANES, first + four * self.filter.four, 1);
            }
        }
    }

    /// All lie in the image.
    #[inline(always)]
    fn are_whole(&self) -> bool {
        let slide = &self.p.shape.slide;
        self.columns.len() == slide.x.taps && self.rows.len() == slide.y.taps
    }

    /// Those in the image lie in `x`, and there are so many results.
    #[inline(never)]
    fn fit(&self, output: usize, first: usize, fours: usize) -> bool {
        let read = if self.filter.four > 0 { fours * LANES } else { 1 };
        let (taps, step) = (self.columns.len(), self.filter.x_step);
        // Products of halves of a word do not wrap.
        let fit = taps.max(step) < 1 << 16
            && self.lines.fit(self.at + first, taps.saturating_sub(1) * step + read, self.x.bytes);
        (fit || taps == 0 || self.rows.is_empty()) && output + fours * LANES <= self.filter.w_step
    }

    /// Adds those inside, and stores the results.
    #[inline(never)]
    fn inside(&mut self, output: usize, first: usize, fours: usize) {
        let x = self.x.start.wrapping_add(self.lines.from.wrapping_add(self.at + first));
        self.filter.x_skip = self.lines.step.wrapping_sub(self.columns.len() * self.filter.x_step);
        (self.filter.turn, self.filter.ring) = (self.lines.turn, self.lines.ring);
        if self.filter.scale.aim(&self.p.layer, output, fours, self.y, self.to + output) {
            self.run(output, x, self.rows.clone(), self.columns.clone());
        }
    }

    /// The sums of the taps outside the image, of four results from `output` on.
    #[inline(never)]
    fn border(&mut self, output: usize) {
        let step = core::mem::take(&mut self.filter.x_step);
        self.filter.sums = [0; LANES];
        (self.filter.x_skip, self.filter.turn, self.filter.scale.fours) = (0, 0, 0);
        let x = self.outside.as_ptr().cast();
        let (width, height) = (self.p.shape.slide.x.taps, self.p.shape.slide.y.taps);
        self.run(output, x, 0..self.rows.start, 0..width);
        self.run(output, x, self.rows.clone(), 0..self.columns.start);
        self.run(output, x, self.rows.clone(), self.columns.end..width);
        self.run(output, x, self.rows.end..height, 0..width);
        self.filter.x_step = step;
    }

    /// Sums of four channels, or as many results as the scale says, of those rows and columns of taps.
    #[inline(never)]
    fn run(&mut self, output: usize, x: *const u8, rows: Range<usize>, columns: Range<usize>) {
        (self.filter.x, self.filter.taps) = (x, columns.len());
        self.filter.rows = if columns.is_empty() { 0 } else { rows.len() };
        if self.filter.rows == 0 && self.filter.scale.fours == 0 {
            return;
        }
        let width = self.p.shape.slide.x.taps;
        let at = (rows.start * width + columns.start) * self.filter.w_step + output;
        self.filter.w = self.p.layer.weights.as_ptr().wrapping_add(at);
        self.filter.w_skip = (width - columns.len()) * self.filter.w_step;
        // SAFETY: the rows of `x` end inside, the taps are some of the filter's, which has as many scales; results lie in
        // the window that the scale was aimed at.
        unsafe { filter(&mut self.filter) };
    }

    /// One result, which reads the element `first` of pixels.
    #[inline(never)]
    fn one(&mut self, output: usize, first: usize, x: impl Elements<i8>, y: impl Sink<i8>) {
        let Self { p, from, step, .. } = *self;
        let row = Row { p: &p.shape, layer: &p.layer, from, step, rows: &self.rows, top: self.lines.from };
        let columns = Inside { taps: self.columns.clone(), first: self.at / step.max(1) };
        Pixel { row: &row, columns }.block::<1>(output, first, x, y, self.to);
    }
}

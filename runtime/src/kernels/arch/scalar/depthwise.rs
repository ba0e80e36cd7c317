//! Depthwise convolutions.

use super::super::window::{Memory, MemoryMut};
use super::lines::Lines;
use super::scale::{Scale, store};
use super::{Filter, LANES, filter};
use crate::kernels::depthwise::Depthwise;
use crate::kernels::depthwise_ring::{Unread, bring, ring_rows};
use crate::kernels::slide::{Band, Inside};
use crate::kernels::{DepthwiseI8, Elements, Rows, Sink, Units};
use core::hint::black_box;
use core::ops::Range;
use core::ptr::null;

#[inline(never)]
pub(super) fn depthwise(p: &DepthwiseI8<'_>, x: Memory<'_>, y: MemoryMut<'_>, units: Units) {
    // A copy for the numbers of each layer would fill flash.
    let p = black_box(p);
    let mut taps = Taps::new(p, y);
    if !taps.are_there() {
        return;
    }
    for unit in units {
        taps.enter_row(unit);
        if !taps.find_rows(x) {
            return;
        }
        for column in units.along(0..taps.p.shape.slide.x.output) {
            taps.enter(column);
            taps.multiply();
        }
    }
}

/// As the portable kernel: a few channels of all pixels, whose rows are brought into `ring`.
#[inline(never)]
pub(super) fn ring(p: &DepthwiseI8<'_>, x: impl Elements<i8>, y: MemoryMut<'_>, ring: impl Sink<i8>, units: Units) {
    // As above.
    let p = black_box(p);
    let Some(window) = ring.memory() else { return };
    let mut taps = Taps::new(p, y);
    if !taps.are_there() {
        return;
    }
    for unit in units {
        let fours = p.shape.channels / LANES;
        let alone = unit >= fours;
        (taps.start, taps.step) = if alone { (unit + (LANES - 1) * fours, 1) } else { (LANES * unit, LANES) };
        taps.end = taps.start + taps.step;
        if !taps.each() || taps.end > taps.filter.w_step {
            return;
        }
        let mut unread = Unread::new();
        for row in units.along(0..p.shape.slide.to.held) {
            taps.enter_row(row);
            if !taps.find_ring_rows(window) {
                return;
            }
            for row in unread.lacking(&p.shape.slide, &taps.band, units) {
                taps.bring(row, x, ring);
            }
            for column in 0..p.shape.slide.x.output {
                taps.enter(column);
                taps.multiply();
            }
        }
    }
}

/// The taps of a pixel. What is known of them is here and not held in registers, which would be kept on the stack by each
/// function that they go through. For the same reason what is to be multiplied is written into `filter` by functions that
/// have returned when it is.
#[repr(C)]
struct Taps<'a> {
    filter: Filter,
    p: &'a DepthwiseI8<'a>,
    y: MemoryMut<'a>,
    /// Elements from pixel to pixel.
    step: usize,
    /// The tap rows inside the image.
    band: Band,
    /// Where the first of them starts, elements to the next, and how many are left where a ring begins again.
    line: *const u8,
    line_step: usize,
    turn: usize,
    /// The tap columns inside the image, and the pixel of the first of them.
    columns: Range<usize>,
    at: *const u8,
    /// The sides of the image beyond which there are taps.
    sides: usize,
    /// Where its row of the result starts.
    row: usize,
    /// Where its results go.
    to: usize,
    /// The results of a pixel.
    start: usize,
    end: usize,
    /// The next of them, the element of pixels that it reads, and the sides whose taps are still lacking.
    output: usize,
    first: usize,
    left: usize,
}

/// Sides of the image, one bit each.
const ABOVE: usize = 1;
const LEFT: usize = 2;
const RIGHT: usize = 4;
const BELOW: usize = 8;

/// What becomes of products.
#[derive(PartialEq)]
enum Part {
    /// There are none.
    Nothing,
    /// Sums that others are added to.
    Sums,
    /// One result of four sums.
    One,
    /// Results.
    All,
}

impl<'a> Taps<'a> {
    /// Those of `p`.
    #[inline(never)]
    fn new(p: &'a DepthwiseI8<'a>, y: MemoryMut<'a>) -> Self {
        let Depthwise { slide, channels, multiplier } = &p.shape;
        let filter = Filter {
            sums: [0; LANES],
            scale: Scale::new(&p.layer),
            x: null(),
            x_step: 0,
            taps: 0,
            x_skip: 0,
            rows: 0,
            w: null(),
            w_step: channels * multiplier,
            w_skip: 0,
            turn: 0,
            ring: 0,
            four: 0,
        };
        Self {
            p,
            y,
            filter,
            step: *channels,
            band: Band { picture: 0, rows: Inside { taps: 0..0, first: 0 } },
            line: null(),
            line_step: 0,
            turn: 0,
            columns: 0..0,
            at: null(),
            sides: 0,
            row: 0,
            to: 0,
            start: 0,
            end: channels * multiplier,
            output: 0,
            first: 0,
            left: 0,
        }
    }

    /// Results have elements of their own.
    #[inline(always)]
    fn each(&self) -> bool {
        self.p.shape.multiplier == 1
    }

    /// How many times four results follow that read neighbouring elements, or all the same one. If none, the next is
    /// one of four that read the same, and how many of them are before it.
    #[inline(always)]
    fn fours(&self) -> (usize, usize) {
        let end = if self.each() { self.end } else { (self.first + 1) * self.p.shape.multiplier };
        let fours = end.saturating_sub(self.output) / LANES;
        (fours, if fours > 0 { 0 } else { self.output.min(LANES - 1) })
    }

    /// The layer has all of them, and scales; and products of its numbers do not wrap.
    #[inline(never)]
    fn are_there(&self) -> bool {
        let slide = &self.p.shape.slide;
        let outputs = self.filter.w_step;
        let weights = outputs.checked_mul(slide.y.taps).and_then(|weights| weights.checked_mul(slide.x.taps));
        outputs >= LANES
            && weights.is_some_and(|weights| weights <= self.p.layer.weights.len())
            && self.filter.scale.holds(&self.p.layer, outputs)
            && (slide.x.taps | slide.x.dilation | slide.x.input | self.p.shape.channels) < 1 << 16
    }

    /// Goes to row `unit` of the result.
    #[inline(never)]
    fn enter_row(&mut self, unit: usize) {
        let slide = &self.p.shape.slide;
        self.band = slide.band(unit);
        self.row = slide.row(unit);
    }

    /// Finds the tap rows in `x`; `false` if they do not lie there.
    #[inline(never)]
    fn find_rows(&mut self, x: Memory<'_>) -> bool {
        self.find(self.p.shape.slide.from, x)
    }

    /// As [`find_rows`](Self::find_rows) in a ring.
    #[inline(never)]
    fn find_ring_rows(&mut self, ring: Memory<'_>) -> bool {
        self.find(ring_rows(&self.p.shape.slide, self.step), ring)
    }

    #[inline(always)]
    fn find(&mut self, from: Rows, x: Memory<'_>) -> bool {
        let slide = &self.p.shape.slide;
        let start = from.start(self.band.picture + self.band.rows.first);
        let count = self.band.rows.taps.len();
        let lines = Lines::new(from, start, count, slide.y.dilation);
        self.line = x.start.wrapping_add(start);
        (self.line_step, self.turn) = (lines.step, lines.turn);
        self.filter.ring = from.held * from.stride;
        count == 0 || lines.fit(0, slide.x.input * self.step, x.bytes)
    }

    /// Brings a row into a ring.
    #[inline(never)]
    fn bring(&self, row: usize, x: impl Elements<i8>, ring: impl Sink<i8>) {
        let shape = &self.p.shape;
        bring(shape, ring_rows(&shape.slide, self.step), row, self.start, x, ring);
    }

    /// Goes to a column of the row.
    #[inline(never)]
    fn enter(&mut self, column: usize) {
        let slide = &self.p.shape.slide;
        let Inside { taps, first } = slide.x.inside(column);
        self.to = self.row + column * slide.pixel;
        self.at = self.line.wrapping_add(first * self.step);
        let rows = &self.band.rows.taps;
        let mut sides = 0;
        if rows.start > 0 {
            sides |= ABOVE;
        }
        if !rows.is_empty() && taps.start > 0 {
            sides |= LEFT;
        }
        if !rows.is_empty() && taps.end < slide.x.taps {
            sides |= RIGHT;
        }
        if rows.end < slide.y.taps {
            sides |= BELOW;
        }
        self.columns = taps;
        (self.sides, self.left) = (sides, sides);
        (self.output, self.first) = (self.start, 0);
    }

    /// The results of a pixel.
    #[inline(always)]
    fn multiply(&mut self) {
        while self.output < self.end {
            let part = if self.left > 0 { self.outside() } else { self.inside() };
            if part == Part::Nothing {
                return;
            }
            // SAFETY: the rows of `x` end inside, the taps are some of the layer's, which has as many scales; results lie
            // in the window that the scale was aimed at.
            unsafe { filter(&mut self.filter) };
            if part == Part::One {
                self.store();
            }
        }
    }

    /// Stores the result before the next from its sum.
    #[inline(never)]
    fn store(&self) {
        let output = self.output - 1;
        let sum = self.filter.sums.get(output.min(LANES - 1)).copied().unwrap_or(0);
        store(&self.p.layer, output, sum, self.y, self.to + output);
    }

    /// The taps inside, up to results: of all channels if there are no others, else of four.
    #[inline(never)]
    fn inside(&mut self) -> Part {
        let whole = self.sides == 0;
        if whole {
            self.filter.sums = [0; LANES];
        }
        let (fours, lane) = self.fours();
        let fours = if whole { fours } else { fours.min(1) };
        let apart = self.p.shape.slide.x.dilation * self.step;
        self.filter.four = if fours > 0 && self.each() { LANES } else { 0 };
        self.filter.x = self.at.wrapping_add(self.first);
        self.filter.x_step = apart;
        self.filter.x_skip = self.line_step.wrapping_sub(self.columns.len() * apart);
        self.filter.turn = self.turn;
        let output = self.output - lane;
        self.choose(output, self.band.rows.taps.clone(), self.columns.clone());
        let (part, done) = if fours > 0 { (Part::All, fours * LANES) } else { (Part::One, 1) };
        self.output += done;
        if self.each() {
            self.first += done;
        } else if self.output == (self.first + 1) * self.p.shape.multiplier {
            self.first += 1;
        }
        self.left = self.sides;
        let there = output + fours.max(1) * LANES <= self.filter.w_step;
        if there && self.filter.scale.aim(&self.p.layer, output, fours, self.y, self.to + output) {
            part
        } else {
            Part::Nothing
        }
    }

    /// Those of a side outside, up to the sums of four results.
    #[inline(never)]
    fn outside(&mut self) -> Part {
        if self.left == self.sides {
            self.filter.sums = [0; LANES];
            // All read the low byte of the same number.
            self.filter.x = (&raw const self.p.layer.zero_point).cast();
            (self.filter.x_step, self.filter.x_skip, self.filter.turn, self.filter.four) = (0, 0, 0, 0);
            self.filter.scale.fours = 0;
        }
        let (width, height) = (self.p.shape.slide.x.taps, self.p.shape.slide.y.taps);
        let (rows, columns) = (self.band.rows.taps.clone(), self.columns.clone());
        let (side, rows, columns) = if self.left & ABOVE > 0 {
            (ABOVE, 0..rows.start, 0..width)
        } else if self.left & LEFT > 0 {
            (LEFT, rows, 0..columns.start)
        } else if self.left & RIGHT > 0 {
            (RIGHT, rows, columns.end..width)
        } else {
            (BELOW, rows.end..height, 0..width)
        };
        self.left &= !side;
        self.choose(self.output - self.fours().1, rows, columns);
        Part::Sums
    }

    /// The weights of four results from `output` on, of those rows and columns of taps.
    #[inline(always)]
    fn choose(&mut self, output: usize, rows: Range<usize>, columns: Range<usize>) {
        self.filter.taps = columns.len();
        self.filter.rows = if columns.is_empty() { 0 } else { rows.len() };
        let width = self.p.shape.slide.x.taps;
        let at = (rows.start * width + columns.start) * self.filter.w_step + output;
        self.filter.w = self.p.layer.weights.as_ptr().wrapping_add(at);
        self.filter.w_skip = (width - columns.len()) * self.filter.w_step;
    }
}

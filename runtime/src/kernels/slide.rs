//! How the taps of a filter slide over an image.

use super::Rows;
use super::elements::divide;
use core::ops::Range;

/// The taps of a filter along one dimension of an image.
#[derive(Clone, Copy, Debug)]
pub struct Taps {
    /// Size of the image.
    pub input: usize,
    /// Size of the result.
    pub output: usize,
    /// Number of taps.
    pub taps: usize,
    /// Pixels from one position of the filter to the next.
    pub stride: usize,
    /// Pixels from one tap to the next.
    pub dilation: usize,
    /// Padding before the first pixel.
    pub before: usize,
}

/// The taps of one position that lie in the image.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    /// Which taps.
    pub(super) taps: Range<usize>,
    /// The pixel of the first of them.
    pub(super) first: usize,
}

impl Taps {
    /// The taps of position `at` that lie in the image.
    #[inline(always)]
    pub(super) fn inside(&self, at: usize) -> Inside {
        let start = at * self.stride;
        let first = self.reach(self.before.saturating_sub(start));
        let end = self.reach((self.input + self.before).saturating_sub(start));
        let pixel = (start + first * self.dilation).saturating_sub(self.before);
        Inside { taps: first..end.max(first), first: pixel }
    }

    /// The positions all of whose taps lie in the image.
    pub(super) fn whole(&self) -> Range<usize> {
        let stride = self.stride.max(1);
        let extent = self.taps.saturating_sub(1) * self.dilation + 1;
        let last = (self.input + self.before).checked_sub(extent);
        let end = last.map_or(0, |last| last / stride + 1).min(self.output);
        self.before.div_ceil(stride).min(end)..end
    }

    /// How many taps start within `pixels`.
    #[inline(always)]
    fn reach(&self, pixels: usize) -> usize {
        if self.dilation <= 1 || pixels >= self.taps * self.dilation {
            pixels.min(self.taps)
        } else {
            divide(pixels + self.dilation - 1, self.dilation).0
        }
    }
}

/// A filter that slides over an image of channels, `[height, width, channel]` a picture.
#[derive(Clone, Copy, Debug)]
pub struct Slide {
    /// From row to row.
    pub y: Taps,
    /// From column to column.
    pub x: Taps,
    /// How the image's rows lie, those of all pictures in order.
    pub from: Rows,
    /// How the result's rows lie.
    pub to: Rows,
    /// Elements from pixel to pixel of the result: its channels, or more where it is a part of a concat.
    pub pixel: usize,
}

/// The rows of the image that one row of the result depends on.
#[derive(Clone, Debug)]
pub(super) struct Band {
    /// The row in all pictures at which its picture starts.
    pub(super) picture: usize,
    /// The taps, and the row of the first within its picture.
    pub(super) rows: Inside,
}

impl Slide {
    /// Where row `unit` of the result starts in its window.
    #[inline(always)]
    pub(super) fn row(&self, unit: usize) -> usize {
        self.to.start(unit)
    }

    /// Elements of the image from the row of a tap to that of the next.
    #[inline(always)]
    pub(super) fn row_step(&self) -> usize {
        self.y.dilation * self.from.stride
    }

    /// What row `unit` of the result, counted over all pictures, depends on.
    #[inline(always)]
    pub(super) fn band(&self, unit: usize) -> Band {
        let (picture, row) = divide(unit, self.y.output.max(1));
        Band { picture: picture * self.y.input, rows: self.y.inside(row) }
    }
}

impl Band {
    /// The row in all pictures of tap `tap`, which lies inside.
    #[inline(always)]
    pub(super) fn row(&self, slide: &Slide, tap: usize) -> usize {
        self.picture + self.rows.first + (tap - self.rows.taps.start) * slide.y.dilation
    }

    /// Where the first of its rows starts in the window, and the first after which a ring begins again; and how many
    /// rows follow each.
    #[inline(always)]
    pub(super) fn parts(&self, slide: &Slide) -> ([usize; 2], [usize; 2]) {
        let taps = self.rows.taps.clone();
        let start = |tap| slide.from.start(self.row(slide, tap));
        let Some(last) = taps.end.checked_sub(1).filter(|last| taps.contains(last)) else { return ([0; 2], [0; 2]) };
        let first = start(taps.start);
        if start(last) >= first {
            return ([first; 2], [taps.len(), 0]);
        }
        let more = taps.rev().take_while(|tap| start(*tap) < first).count();
        ([first, start(last + 1 - more)], [last + 1 - self.rows.taps.start - more, more])
    }

    /// How many of the taps from `tap` on, which lies inside, have their rows equally far apart in the window, where a
    /// ring may begin again: those that are left, or one.
    #[inline(always)]
    pub(super) fn stretch(&self, slide: &Slide, tap: usize) -> usize {
        let start = |tap| slide.from.start(self.row(slide, tap));
        let rows = self.rows.taps.end - tap;
        let even = start(tap) + (rows - 1) * slide.row_step();
        if start(self.rows.taps.end - 1) == even { rows } else { 1 }
    }
}

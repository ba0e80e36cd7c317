//! The inner loops of packed layers and of sums, for each machine behind one interface.
//!
//! `portable` is the definition, in safe Rust; `dsp` are the same functions in assembly for cores with the DSP
//! instructions, `mve` those for cores with vectors, `fpu` are layers of f32 where there is a floating-point unit.
//! `build.rs` chooses by the target and the crate's features. Kernels that use them have a layout of their weights of
//! their own, which the planner makes where it plans for such a machine, so other machines only come here when they run
//! a plan that was made for another.

#[cfg(waterline_arch = "dsp")]
#[allow(unsafe_code, reason = "assembly")]
mod dsp;
#[cfg_attr(not(any(waterline_arch = "dsp", waterline_arch = "mve")), allow(dead_code, reason = "for machine code"))]
mod ends;
#[cfg_attr(not(waterline_arch = "mve"), allow(dead_code, reason = "for machine code"))]
mod fits;
#[cfg(waterline_fpu)]
#[allow(unsafe_code, reason = "assembly")]
mod fpu;
#[cfg(waterline_arch = "mve")]
#[allow(unsafe_code, reason = "assembly")]
mod mve;
#[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
mod pool;
#[cfg_attr(
    any(waterline_arch = "dsp", waterline_arch = "mve"),
    allow(dead_code, unused_imports, reason = "where the machine's are used")
)]
mod portable;
#[cfg(any(waterline_arch = "thumb", waterline_arch = "riscv"))]
#[allow(unsafe_code, reason = "assembly")]
mod scalar;
mod window;
#[cfg(waterline_arch = "x86")]
#[allow(unsafe_code, reason = "vector instructions")]
mod x86;

#[cfg(waterline_arch = "dsp")]
pub(super) use dsp::{
    add, fill, filter, filter3x3, max_i8, max_u8, mean_i8, mean_u8, mul, multiply, multiply_pairs, multiply_row,
    sum_i8, sum_u8, widen,
};
#[cfg(waterline_fpu)]
pub(super) use fpu::{conv2d_f32, dense_f32, depthwise_f32};
#[cfg(waterline_arch = "mve")]
pub(super) use mve::{
    Multiply, add, copy, dense_i8, fill_bytes, filter_planes, max_i8, max_u8, mean_i8, mean_u8, mul, spread, sum_i8,
    sum_u8,
};
#[cfg(not(waterline_arch = "mve"))]
pub(super) use portable::{Multiply, copy, fill_bytes, filter_planes, spread};
#[cfg(not(any(waterline_arch = "dsp", waterline_arch = "mve")))]
pub(super) use portable::{add, max_i8, max_u8, mean_i8, mean_u8, sum_i8, sum_u8};
#[cfg(not(waterline_arch = "dsp"))]
pub(super) use portable::{fill, filter, filter3x3, multiply, multiply_pairs, multiply_row, widen};
#[cfg(any(waterline_arch = "thumb", waterline_arch = "riscv"))]
pub(super) use scalar::{conv2d_i8, dense_i8, depthwise_conv2d_i8, depthwise_conv2d_ring_i8};
pub use window::{Memory, MemoryMut};
#[cfg(waterline_arch = "x86")]
pub(super) use x86::{conv2d_i8, dense_i8, depthwise_conv2d_i8};

use super::Units;
use super::blocked::PIXELS;

/// Channels whose sums are computed together.
pub(super) const SUMS: usize = if cfg!(waterline_arch = "mve") { 8 } else { 4 };

/// How many of the channels that are left are summed next: vectors can be filled in part.
#[inline(always)]
pub(super) const fn summed(left: usize) -> usize {
    if left >= SUMS {
        SUMS
    } else if cfg!(waterline_arch = "mve") {
        left
    } else {
        1
    }
}

/// Runs of neighbouring elements, of which some are to be widened into columns.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    /// How many runs.
    pub(super) count: usize,
    /// Elements from the start of one to the start of the next.
    pub(super) stride: usize,
    /// Elements of a run in a column.
    pub(super) whole: usize,
    /// The first of them that is there.
    pub(super) first: usize,
    /// How many are there.
    pub(super) len: usize,
    /// Words from a run to the next in the columns.
    pub(super) words: usize,
}

impl Runs {
    /// Elements from the first that is there to behind the last.
    #[cfg_attr(not(waterline_arch = "dsp"), allow(dead_code, reason = "for machine code"))]
    #[inline(always)]
    fn extent(&self) -> Option<usize> {
        ends::last(self.len, self.stride, self.count)
    }
}

/// Pairs of pixels whose windows lie alike.
#[derive(Clone, Copy)]
pub(super) struct Pairs {
    /// How many.
    pub(super) count: usize,
    /// Where the runs of the first pixel start.
    pub(super) from: usize,
    /// Elements from a pixel's runs to those of the next, wrapping where it goes down.
    pub(super) step: usize,
    /// The word of the columns that the first run goes to.
    pub(super) at: usize,
    /// Where the results of the first pixel go.
    pub(super) to: usize,
    /// Elements from a pixel's results to those of the next, wrapping where it goes down.
    pub(super) to_step: usize,
}

/// Words of a column that a run of `len` elements takes.
#[inline(always)]
pub(super) const fn pairs(len: usize) -> usize {
    len / 4 * 2 + (len % 4).div_ceil(2)
}

/// Runs of elements of one length, to be copied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    /// Where the first starts.
    pub(super) from: usize,
    /// Elements from one start to the next.
    pub(super) step: usize,
    /// Elements of a run.
    pub(super) len: usize,
    /// How many runs, at least one.
    pub(super) count: usize,
}

/// Elements evenly apart, of neighbouring channels.
#[derive(Clone, Copy)]
pub(super) struct Strip {
    /// The first element of the first channel.
    pub(super) from: usize,
    /// From an element to the next.
    pub(super) step: usize,
    /// How many of each channel.
    pub(super) count: usize,
    /// How many channels, as [`summed`] says.
    pub(super) channels: usize,
}

/// How often runs are copied from places evenly apart to others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    /// How often, at least once.
    pub(super) count: usize,
    /// Elements from where the first starts to where the next one's does.
    pub(super) step: usize,
    /// Elements from where it goes to where the next goes.
    pub(super) pitch: usize,
}

impl Apart {
    /// Once.
    pub(super) const ONE: Self = Self { count: 1, step: 0, pitch: 0 };
}

/// Results of up to four pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pixels {
    /// Where the first starts.
    pub(super) to: usize,
    /// Elements from a pixel's results to the next pixel's.
    pub(super) step: usize,
    /// How many pixels, at least one.
    pub(super) count: usize,
}

/// Fours of pixels whose windows lie alike; their runs follow each other in a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fours {
    /// The runs of the first window.
    pub(super) runs: Copies,
    /// Elements from a window to the next.
    pub(super) step: usize,
    /// Where the first run goes in a column.
    pub(super) at: usize,
    /// Where the first results start.
    pub(super) to: usize,
    /// Elements from a pixel's results to the next pixel's.
    pub(super) to_step: usize,
    /// How many fours.
    pub(super) count: usize,
    /// The last four comes first.
    pub(super) backward: bool,
}

impl Fours {
    /// The pixels of the first.
    #[inline(always)]
    fn pixels(&self) -> Pixels {
        Pixels { to: self.to, step: self.to_step, count: PIXELS }
    }
}

/// Rows of pixels in planes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Where the first pixel has the first of eight channels.
    pub(super) from: usize,
    /// Elements from pixel to pixel.
    pub(super) step: usize,
    /// How many pixels, at least one.
    pub(super) count: usize,
    /// How many rows, at least one, which go side by side.
    pub(super) rows: usize,
    /// Elements from row to row.
    pub(super) row_step: usize,
    /// Where the first pixel goes in a plane.
    pub(super) at: usize,
    /// Elements from there to the next.
    pub(super) pitch: usize,
    /// Elements of a plane.
    pub(super) plane: usize,
}

/// Results of a row of pixels, eight channels at a time. If their number is not a multiple of eight, the last eight are
/// some of those before in part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter {
    /// Which eight of the layer's channels are the first.
    pub(super) group: usize,
    /// How many channels, at least eight.
    pub(super) channels: usize,
    /// Where the first result goes.
    pub(super) to: usize,
    /// Elements from a pixel's results to the next pixel's.
    pub(super) to_step: usize,
    /// How many pixels.
    pub(super) pixels: usize,
    /// Elements of a plane from a pixel's window to the next pixel's.
    pub(super) step: usize,
}

/// Pixels of a row whose taps lie alike.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// How many pixels.
    pub(super) pixels: usize,
    /// Elements from a pixel's taps to the next pixel's, wrapping where it goes down.
    pub(super) step: usize,
    /// Where the first result goes.
    pub(super) to: usize,
    /// Elements from a pixel's results to the next pixel's, wrapping where it goes down.
    pub(super) to_step: usize,
}

/// Rows of a result with three rows of taps, evenly apart.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    /// How many.
    pub(super) count: usize,
    /// Where the first row of taps of the first row starts, in the image or, wrapping, outside.
    pub(super) from: usize,
    /// Elements from there to where the second and the third row of taps start, wrapping.
    pub(super) offsets: [usize; 2],
    /// Which rows of taps lie outside the image, a bit for each: of the first row and of the last. Between them none do.
    pub(super) lacks: [usize; 2],
    /// Elements from a row's taps to the next row's, wrapping where it goes down.
    pub(super) step: usize,
    /// Where the first row of results starts.
    pub(super) to: usize,
    /// Elements from a row of results to the next, wrapping where it goes down.
    pub(super) to_step: usize,
    /// Pixels are taken from the last on.
    pub(super) backward: bool,
}

impl Lines {
    /// Whether row `line` has its row of taps `tap` in the image.
    #[cfg_attr(waterline_arch = "dsp", allow(dead_code, reason = "for the portable machine"))]
    #[inline(always)]
    const fn has(&self, line: usize, tap: usize) -> bool {
        let [first, last] = self.lacks;
        let lacks = if line == 0 { first } else { last };
        (line > 0 && line + 1 < self.count) || lacks >> tap & 1 == 0
    }

    /// Which rows have this row of taps in the image: how many have not before them, and how many there are.
    #[cfg_attr(not(waterline_arch = "dsp"), allow(dead_code, reason = "for machine code"))]
    #[inline(always)]
    const fn with(&self, tap: usize) -> [usize; 2] {
        let [first, last] = self.lacks;
        let before = first >> tap & 1;
        let after = if self.count > 1 { last >> tap & 1 } else { 0 };
        [before, self.count.saturating_sub(before + after)]
    }

    /// The first rows that have their taps alike. The first of their rows of taps that lies in the image starts at
    /// `from`, and so do those outside.
    #[cfg_attr(not(waterline_arch = "dsp"), allow(dead_code, reason = "for machine code"))]
    #[inline(always)]
    fn alike(&self) -> Self {
        let [lacks, last] = self.lacks;
        let count = match () {
            () if lacks > 0 && self.count > 2 || lacks == 7 => 1,
            () if lacks != last => (self.count - 1).max(1),
            () => self.count,
        };
        let [second, third] = self.offsets;
        let first = match lacks {
            lacks if lacks & 1 == 0 => 0,
            lacks if lacks & 2 == 0 => second,
            lacks if lacks & 4 == 0 => third,
            // What is read then counts for nothing.
            _ => self.from.wrapping_neg(),
        };
        let offset = |offset: usize, tap: usize| if lacks >> tap & 1 == 0 { offset.wrapping_sub(first) } else { 0 };
        Self {
            count,
            from: self.from.wrapping_add(first),
            offsets: [offset(second, 1), offset(third, 2)],
            lacks: [lacks; 2],
            ..*self
        }
    }

    /// The pixels of a row of `output`.
    #[cfg_attr(waterline_arch = "dsp", allow(dead_code, reason = "for the portable machine"))]
    #[inline(always)]
    fn columns(&self, output: usize) -> Units {
        if self.backward { Units::backward(0..output) } else { Units::forward(0..output) }
    }
}

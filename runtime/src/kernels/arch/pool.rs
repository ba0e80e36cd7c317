//! Pools as machine code sees them.

use super::Strip;
use super::ends::{farthest, last};
use super::window::bytes;
use crate::kernels::windows::Windows;
use crate::kernels::{Elements, Sink};

/// Bytes whose sum has 16 bits.
const MOST: usize = 255;

/// What the assembly for windows is given, in its order.
#[repr(C)]
pub(super) struct Pooled {
    /// The first window; the next one that is to be read, where the assembly moves it.
    from: *const u8,
    /// From behind a window's channels to the next window.
    step: usize,
    rows: usize,
    /// Rows after those, which the assembly negates while they are read.
    more: usize,
    /// From where the rows would go on to these.
    jump: usize,
    channels: usize,
    /// The bounds in each byte.
    bounds: [u32; 2],
    pixels: usize,
    /// From behind a pixel's results to the next pixel's.
    to_step: usize,
    column_step: usize,
    row_step: usize,
    columns: usize,
    to: *mut u8,
    taps: usize,
    /// Half of them.
    half: usize,
    /// The sum of a window has 16 bits.
    short: usize,
    /// What the assembly has still to do.
    left: [usize; 2],
}

impl Pooled {
    /// Of windows that lie in `x` and their results in `y`, none of them empty.
    #[inline(always)]
    pub(super) fn new<T: Copy>(
        windows: &Windows,
        x: impl Elements<T>,
        y: impl Sink<T>,
        bounds: [i32; 2],
    ) -> Option<Self> {
        let (x, y) = (x.memory()?, y.memory_mut()?);
        let Windows { channels, pixels, from, step, columns, column_step, rows, row_step, more, again, to, to_step } =
            *windows;
        let taps = windows.taps();
        // Rows side by side are one.
        let (rows, columns) = match more == 0 && columns.wrapping_mul(column_step) == row_step {
            true => (1, taps),
            false => (rows, columns),
        };
        let row = last(channels, column_step, columns)?;
        let inside = |start, rows| {
            let end = farthest(start, step, pixels)?.checked_add(last(row, row_step, rows)?)?;
            (end <= x.bytes).then_some(())
        };
        inside(from, rows)?;
        if more > 0 {
            inside(again, more)?;
        }
        let end = farthest(to, to_step, pixels)?.checked_add(channels)?;
        let some = channels > 0 && pixels > 0 && taps > 0 && column_step > 0 && rows > 0;
        (some && end <= y.bytes).then(|| Self {
            from: x.start.wrapping_add(from),
            step: step.wrapping_sub(channels),
            rows,
            more,
            jump: again.wrapping_sub(from.wrapping_add(rows.wrapping_mul(row_step))),
            channels,
            bounds: bytes(bounds),
            pixels,
            to_step: to_step.wrapping_sub(channels),
            column_step,
            row_step,
            columns,
            to: y.start.wrapping_add(to),
            taps,
            half: taps / 2,
            short: usize::from(taps <= MOST),
            left: [0; 2],
        })
    }
}

/// The function `$name` over windows of `$type`, as that of the portable machine, by the assembly `$run`.
macro_rules! pooled {
    ($name:ident, $type:ty, $run:ident) => {
        /// As the function of this name of the portable machine.
        #[inline(always)]
        pub(in crate::kernels) fn $name(
            windows: &Windows,
            x: impl Elements<$type>,
            y: impl Sink<$type>,
            bounds: [i32; 2],
        ) {
            if let Some(mut task) = Pooled::new(windows, x, y, bounds) {
                // SAFETY: all windows lie in `x`, and their results in `y`.
                unsafe { $run(&raw mut task) };
            }
        }
    };
}
pub(super) use pooled;

/// Tells `add` where the parts of a strip in `x`, of at most [`MOST`] elements, start, and how many each has.
#[inline(always)]
pub(super) fn parts<T: Copy>(x: impl Elements<T>, strip: &Strip, mut add: impl FnMut(*const u8, usize)) {
    let Strip { from, step, count, channels } = *strip;
    let Some(x) = x.memory() else { return };
    let end = last(channels, step, count).and_then(|extent| extent.checked_add(from));
    if end.is_none_or(|end| end > x.bytes) {
        return;
    }
    let (mut from, mut left) = (x.start.wrapping_add(from), count);
    while left > 0 {
        let count = left.min(MOST);
        add(from, count);
        (from, left) = (from.wrapping_add(count * step), left - count);
    }
}

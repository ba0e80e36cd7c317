//! Windows of an image that lie alike, and their channels folded.

use super::arch::{SUMS, Strip, summed};
use super::{Elements, Integer, Sink};
use bytemuck::Pod;

/// Channels whose states stay in registers.
const BLOCK: usize = 4;

/// Pixels of a row of a result, the window of each as far from the next one's. Distances wrap where they go down.
#[derive(Clone, Copy)]
pub(super) struct Windows {
    /// Channels of a pixel.
    pub(super) channels: usize,
    /// How many pixels.
    pub(super) pixels: usize,
    /// Where the first window starts.
    pub(super) from: usize,
    /// Elements from a window to the next pixel's.
    pub(super) step: usize,
    /// Pixels of a row of a window.
    pub(super) columns: usize,
    /// Elements from one of them to the next.
    pub(super) column_step: usize,
    /// Rows of a window up to where a ring of rows begins again.
    pub(super) rows: usize,
    /// Elements from one of them to the next.
    pub(super) row_step: usize,
    /// Rows after that.
    pub(super) more: usize,
    /// Where the first of these starts in the first window.
    pub(super) again: usize,
    /// Where the first result goes.
    pub(super) to: usize,
    /// Elements from a pixel's results to the next pixel's.
    pub(super) to_step: usize,
}

impl Windows {
    /// Pixels of a window.
    #[inline(always)]
    pub(super) const fn taps(&self) -> usize {
        (self.rows + self.more) * self.columns
    }

    /// Those as a real number.
    #[inline(always)]
    #[allow(clippy::cast_precision_loss, reason = "a number of taps")]
    pub(super) const fn taps_f32(&self) -> f32 {
        self.taps() as f32
    }

    /// Where the results of pixel `pixel` go.
    #[inline(always)]
    pub(super) const fn result(&self, pixel: usize) -> usize {
        self.to.wrapping_add(pixel.wrapping_mul(self.to_step))
    }

    /// Where row `row` of the window of pixel `pixel` starts.
    #[inline(always)]
    const fn row(&self, pixel: usize, row: usize) -> usize {
        let (from, row) = if row < self.rows { (self.from, row) } else { (self.again, row - self.rows) };
        from.wrapping_add(pixel.wrapping_mul(self.step)).wrapping_add(row * self.row_step)
    }

    /// What `add` makes of `first` and all elements of a window, finished, for each channel.
    #[inline(always)]
    pub(super) fn fold<T: Pod, S: Copy>(
        &self,
        x: impl Elements<T>,
        y: impl Sink<T>,
        first: S,
        add: impl Fn(S, T) -> S,
        finish: impl Fn(S) -> T,
    ) {
        for pixel in 0..self.pixels {
            let to = self.result(pixel);
            let mut channel = 0;
            while channel + BLOCK <= self.channels {
                let [a, b, c, d] = self.states([first; BLOCK], pixel, channel, |at| x.four(at), &add);
                y.put_four(to + channel, [finish(a), finish(b), finish(c), finish(d)]);
                channel += BLOCK;
            }
            while channel < self.channels {
                let [state] = self.states([first], pixel, channel, |at| [x.at(at)], &add);
                y.put(to + channel, finish(state));
                channel += 1;
            }
        }
    }

    /// The states of the channels from `channel` on after all of a window, whose elements `load` has.
    #[inline(always)]
    fn states<T, S: Copy, const N: usize>(
        &self,
        mut states: [S; N],
        pixel: usize,
        channel: usize,
        load: impl Fn(usize) -> [T; N],
        add: impl Fn(S, T) -> S,
    ) -> [S; N] {
        for row in 0..self.rows + self.more {
            let mut at = self.row(pixel, row) + channel;
            for _ in 0..self.columns {
                for (state, x) in states.iter_mut().zip(load(at)) {
                    *state = add(*state, x);
                }
                at += self.column_step;
            }
        }
        states
    }

    /// The largest of each window between two bounds.
    #[inline(always)]
    pub(super) fn max<T: Integer>(&self, x: impl Elements<T>, y: impl Sink<T>, [min, max]: [i32; 2]) {
        self.fold(x, y, T::MIN, T::max, |largest| T::low(largest.into().max(min).min(max)));
    }

    /// The mean of the elements of a window by their sum, halves away from zero, between two bounds.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "a number of taps")]
    pub(super) fn mean<T: Integer>(&self, sum: i32, [min, max]: [i32; 2]) -> T {
        let taps = (self.taps() as i32).max(1);
        let half = if sum > 0 { taps / 2 } else { -(taps / 2) };
        T::low(((sum + half) / taps).max(min).min(max))
    }

    /// The mean of each window, by sums to which `add` adds strips of it.
    #[inline(always)]
    pub(super) fn means<T: Integer>(&self, y: impl Sink<T>, bounds: [i32; 2], add: impl Fn(&Strip, &mut [i32; SUMS])) {
        let side_by_side = self.columns * self.column_step == self.row_step;
        for pixel in 0..self.pixels {
            let (to, mut channel) = (self.result(pixel), 0);
            while channel < self.channels {
                let channels = summed(self.channels - channel);
                let (mut sums, mut row) = ([0; SUMS], 0);
                while row < self.rows + self.more {
                    let rows = match side_by_side {
                        true if row < self.rows => self.rows,
                        true => self.more,
                        false => 1,
                    };
                    let from = self.row(pixel, row) + channel;
                    add(&Strip { from, step: self.column_step, count: rows * self.columns, channels }, &mut sums);
                    row += rows;
                }
                for (i, sum) in (channel..channel + channels).zip(sums) {
                    y.put(to + i, self.mean(sum, bounds));
                }
                channel += channels;
            }
        }
    }
}

//! Whether all that a function for vectors is asked to read and write lies in its windows, whatever the numbers are.

use super::ends::last;
use super::{Apart, Copies, Filter, Fours, Pixels, Plane};
use crate::kernels::blocked::{self, BLOCK, BlockedI8, PAIR_WORDS, PIXELS};
use crate::kernels::planes::{self, CHANNELS, PlanesI8};

/// `len` elements at each of `count` places end within `bytes`.
#[inline(always)]
fn within(bytes: usize, at: usize, step: usize, count: usize, len: usize) -> bool {
    last(at, step, count).and_then(|start| start.checked_add(len)).is_some_and(|end| end <= bytes)
}

impl Copies {
    /// The runs, each time, lie in `x` bytes, and in `to` bytes `pitch` apart from `at` on.
    #[inline(always)]
    pub(super) fn fit(&self, x: usize, to: usize, at: usize, pitch: usize, apart: Apart) -> bool {
        self.lie(x, self.from, self.step, apart.step, apart.count) && self.lie(to, at, pitch, apart.pitch, apart.count)
    }

    /// The runs, `step` apart from `at` on, end within `bytes`, and so each of so many `times`, `next` apart.
    #[inline(always)]
    fn lie(&self, bytes: usize, at: usize, step: usize, next: usize, times: usize) -> bool {
        let run = last(at, step, self.count);
        self.count > 0 && times > 0 && run.is_some_and(|run| within(bytes, run, next, times, self.len))
    }
}

impl Fours {
    /// The weights are those of `p`; the windows lie in `x` bytes, four columns in `columns` bytes, the results in `y`
    /// bytes at distances of 16 bits.
    #[inline(always)]
    pub(super) fn fit(&self, p: &BlockedI8<'_>, x: usize, columns: usize, y: usize) -> bool {
        let Self { runs, step, at, to, to_step, count, .. } = *self;
        runs.len > 0
            && self.pixels().fit(p, columns, y)
            && count.checked_mul(PIXELS).is_some_and(|pixels| {
                runs.lie(x, runs.from, runs.step, step, pixels) && within(y, to, to_step, pixels, p.channels)
            })
            && runs.lie(columns, at, runs.len, p.blocks * BLOCK, PIXELS)
    }
}

impl Plane {
    /// So many `channels` of the pixels lie in `x` bytes, eight at a time their places in planes of `planes` bytes,
    /// whose distances have 16 bits.
    #[inline(always)]
    pub(super) fn fits(&self, channels: usize, x: usize, planes: usize) -> bool {
        self.count > 0
            && self.rows > 0
            && self.plane < 1 << 13
            && last(self.from, self.row_step, self.rows)
                .is_some_and(|row| within(x, row, self.step, self.count, channels))
            && last(self.at, 1, self.rows)
                .and_then(|row| row.checked_add((CHANNELS - 1) * self.plane))
                .is_some_and(|row| within(planes, row, self.pitch, self.count, 1))
    }
}

impl Filter {
    /// The weights are those of `p`; the windows, rounded up to `pixels` at a time, lie in `planes` bytes, the results
    /// in `y` bytes at distances of 16 bits.
    #[inline(always)]
    pub(super) fn fits(&self, p: &PlanesI8<'_>, pixels: usize, planes: usize, y: usize) -> bool {
        self.pixels > 0
            && (1..=4).contains(&p.blocks)
            && self.to_step < 1 << 13
            && p.plane <= planes / CHANNELS
            && self
                .pixels
                .checked_next_multiple_of(pixels)
                .is_some_and(|count| within(planes, (CHANNELS - 1) * p.plane, self.step, count, p.blocks * BLOCK))
            && self.channels >= CHANNELS
            && self.channels.div_ceil(CHANNELS)
                <= (p.blocked.len() / (CHANNELS / planes::LANES * planes::words(p.blocks))).saturating_sub(self.group)
            && within(y, self.to, self.to_step, self.pixels, self.channels)
    }
}

impl Pixels {
    /// The weights are those of `p`; the columns lie in `columns` bytes, the results in `y` bytes at distances of 16
    /// bits.
    #[inline(always)]
    pub(super) fn fit(&self, p: &BlockedI8<'_>, columns: usize, y: usize) -> bool {
        let pairs = p.channels.div_ceil(blocked::LANES);
        (1..=PIXELS).contains(&self.count)
            && p.blocks > 0
            && p.blocks <= columns / BLOCK / self.count
            && p.channels >= blocked::LANES
            && pairs <= p.blocked.len() / (p.blocks * (blocked::LANES * BLOCK / 4) + PAIR_WORDS)
            && within(y, self.to, self.step, self.count, p.channels)
            && (self.count - 1) * self.step < (1 << 16) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: usize = usize::MAX / 2 + 1;

    #[test]
    fn copies_fit_to_their_last_byte() {
        let runs = Copies { from: 1, step: 4, len: 3, count: 3 };
        let fit = |runs: &Copies, x, to| runs.fit(x, to, 2, 4, Apart::ONE);
        assert!(fit(&runs, 12, 13) && !fit(&runs, 11, 13) && !fit(&runs, 12, 12));
        let twice = Apart { count: 2, step: 7, pitch: 20 };
        let fit = |apart, x, to| runs.fit(x, to, 2, 4, apart);
        assert!(fit(twice, 19, 33) && !fit(twice, 18, 33) && !fit(twice, 19, 32));
        for apart in [
            Apart { step: HALF, count: 3, ..twice },
            Apart { pitch: usize::MAX, ..twice },
            Apart { count: usize::MAX, step: 0, ..twice },
            Apart { count: 0, ..twice },
        ] {
            assert!(!fit(apart, 19, 33), "{apart:?}");
        }
        // What would seem to fit if sums wrapped.
        for runs in [
            Copies { step: HALF, ..runs },
            Copies { len: usize::MAX, ..runs },
            Copies { from: usize::MAX - 7, ..runs },
            Copies { count: HALF + 1, step: 2, ..runs },
            Copies { count: 0, ..runs },
        ] {
            assert!(!runs.fit(12, 13, 2, 4, Apart::ONE), "{runs:?}");
        }
        assert!(!runs.fit(12, 13, 2, HALF, Apart::ONE) && !runs.fit(12, 13, usize::MAX, 4, Apart::ONE));
    }

    #[test]
    fn planes_fit_to_their_last_pixel() {
        let plane = Plane { from: 2, step: 8, count: 3, rows: 2, row_step: 24, at: 4, pitch: 2, plane: 16 };
        let fits = |plane: &Plane| plane.fits(12, 2 + 24 + 16 + 12, 7 * 16 + 4 + 1 + 4 + 1);
        assert!(fits(&plane) && !plane.fits(12, 53, 122) && !plane.fits(12, 54, 121));
        for plane in [
            Plane { step: HALF, ..plane },
            Plane { row_step: usize::MAX, ..plane },
            Plane { rows: usize::MAX, row_step: 0, ..plane },
            Plane { count: usize::MAX, step: 0, ..plane },
            Plane { pitch: HALF, ..plane },
            Plane { at: usize::MAX, ..plane },
            Plane { plane: usize::MAX / 7 + 1, ..plane },
            Plane { rows: 0, ..plane },
            Plane { count: 0, ..plane },
        ] {
            assert!(!fits(&plane), "{plane:?}");
        }
    }

    #[test]
    fn filters_fit_to_their_last_pixel() {
        let p =
            PlanesI8 { blocked: &[0; 6 * 28], blocks: 1, pitch: 4, plane: 44, part: 5, from: 0, to: 0, min: 0, max: 0 };
        let filter = Filter { group: 1, channels: 9, to: 3, to_step: 9, pixels: 5, step: 4 };
        let fits = |p: &PlanesI8<'_>, filter: &Filter| filter.fits(p, 8, 8 * 44, 3 + 4 * 9 + 9);
        assert!(fits(&p, &filter) && !filter.fits(&p, 8, 8 * 44 - 1, 48) && !filter.fits(&p, 8, 8 * 44, 47));
        for filter in [
            Filter { group: 2, ..filter },
            Filter { group: usize::MAX, ..filter },
            Filter { channels: 7, ..filter },
            Filter { channels: 17, to_step: 0, to: 0, ..filter },
            Filter { channels: usize::MAX, ..filter },
            Filter { pixels: usize::MAX, step: 0, to_step: 0, ..filter },
            Filter { pixels: 0, ..filter },
            Filter { step: HALF, ..filter },
            Filter { to: usize::MAX - 40, ..filter },
        ] {
            assert!(!fits(&p, &filter), "{filter:?}");
        }
        for (blocks, plane) in [(0, 44), (5, 44), (usize::MAX, 44), (1, 45), (1, usize::MAX / 7 + 1)] {
            assert!(!fits(&PlanesI8 { blocks, plane, ..p }, &filter), "{blocks} {plane}");
        }
    }

    #[test]
    fn fours_fit_to_their_last_byte() {
        let p = BlockedI8 { blocked: &[0; 2 * 22], blocks: 2, channels: 3, from: 0, to: 0, min: 0, max: 0 };
        let runs = Copies { from: 1, step: 20, len: 9, count: 2 };
        let fours = Fours { runs, step: 3, at: 5, to: 1, to_step: 4, count: 2, backward: false };
        let fit = |fours: &Fours| fours.fit(&p, 51, 128, 32);
        assert!(
            fit(&fours) && !fours.fit(&p, 50, 128, 32) && !fours.fit(&p, 51, 127, 32) && !fours.fit(&p, 51, 128, 31)
        );
        assert!(fit(&Fours { backward: true, at: 14, ..fours }) && !fit(&Fours { at: 15, ..fours }));
        for runs in [
            Copies { len: 0, ..runs },
            Copies { count: 0, ..runs },
            Copies { len: 10, ..runs },
            Copies { step: HALF, ..runs },
            Copies { from: usize::MAX, ..runs },
            Copies { len: usize::MAX, ..runs },
        ] {
            assert!(!fit(&Fours { runs, ..fours }), "{runs:?}");
        }
        for fours in [
            Fours { count: 0, ..fours },
            Fours { count: 3, ..fours },
            Fours { count: usize::MAX / 4 + 1, ..fours },
            Fours { step: HALF, ..fours },
            Fours { to_step: HALF, ..fours },
            Fours { at: usize::MAX, ..fours },
            Fours { to: usize::MAX, ..fours },
        ] {
            assert!(!fit(&fours), "{fours:?}");
        }
    }

    #[test]
    fn pixels_fit_to_their_last_channel() {
        let p = BlockedI8 { blocked: &[0; 2 * 22], blocks: 2, channels: 3, from: 0, to: 0, min: 0, max: 0 };
        let pixels = Pixels { to: 1, step: 5, count: 3 };
        let fit = |p: &BlockedI8<'_>, pixels: &Pixels| pixels.fit(p, 96, 14);
        assert!(fit(&p, &pixels) && !pixels.fit(&p, 95, 14) && !pixels.fit(&p, 96, 13));
        for pixels in [
            Pixels { count: 0, ..pixels },
            Pixels { count: 5, step: 0, ..pixels },
            Pixels { count: usize::MAX, ..pixels },
            Pixels { step: HALF, ..pixels },
            Pixels { to: usize::MAX, ..pixels },
        ] {
            assert!(!fit(&p, &pixels), "{pixels:?}");
        }
        for (blocks, channels) in [(0, 3), (usize::MAX / 4 + 1, 3), (2, 1), (2, 5), (2, usize::MAX)] {
            assert!(!fit(&BlockedI8 { blocks, channels, ..p }, &pixels), "{blocks} {channels}");
        }
        // The second channel of the last pixel lies 2^16 behind the first of all.
        assert!(!Pixels { step: 0xffff, count: 2, to: 0 }.fit(&p, 96, 1 << 20));
        assert!(Pixels { step: 0xfffe, count: 2, to: 0 }.fit(&p, 96, 1 << 20));
    }
}

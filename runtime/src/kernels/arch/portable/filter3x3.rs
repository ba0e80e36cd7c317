//! Depthwise layers of three by three taps.

use super::super::Lines;
use super::{half, scaled};
use crate::kernels::depthwise3x3::WORDS;
use crate::kernels::packed::PackedI8;
use crate::kernels::slide::Taps;
use crate::kernels::{Elements, Sink};

/// All channels of the rows `lines`, one channel after the other, or of as many of them as the machine takes at once,
/// at least one: returns how many. Pixels of the result lie `pixel` elements apart.
pub(in crate::kernels) fn filter3x3(
    p: &PackedI8<'_>,
    taps: &Taps,
    pixel: usize,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    lines: &Lines,
) -> usize {
    let [second, third] = lines.offsets;
    for channel in 0..p.channels {
        let words = p.packed.part(channel * WORDS..(channel + 1) * WORDS);
        let weight = |row: usize, column: usize| match (row, column) {
            (2, 2) => half(words.at(4), 0),
            (2, column) => half(words.at(3), column),
            (row, column) => half(words.at(column), row),
        };
        for line in 0..lines.count {
            let from = lines.from.wrapping_add(line.wrapping_mul(lines.step));
            let to = lines.to.wrapping_add(line.wrapping_mul(lines.to_step));
            for column in lines.columns(taps.output) {
                let mut sum = words.at(5);
                for (row, offset) in (0..).zip([0, second, third]) {
                    for tap in 0..3 {
                        let at = (column * taps.stride + tap).wrapping_sub(taps.before);
                        let value = if lines.has(line, row) && at < taps.input {
                            i32::from(x.at(from.wrapping_add(offset) + at * p.channels + channel))
                        } else {
                            p.from
                        };
                        sum = sum.wrapping_add(value * weight(row, tap));
                    }
                }
                y.put(to + column * pixel + channel, scaled(p, sum, words.at(6), words.at(4), 2));
            }
        }
    }
    lines.count
}

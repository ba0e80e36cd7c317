//! Sums of depthwise channels as machines scale them: exact by proof, or by comparison.
//!
//! Machines round `sum * multiplier / 2^32` and shift the rest by at least one bit. Twice the sums give the
//! definition's results wherever they fit 32 bits and the definition shifts to the right. For other channels the sums
//! are taken times a larger factor: where a machine has the DSP instructions, a channel's weights have eight of sixteen
//! bits and may be any times as large; one with vectors doubles sums itself, and shifts them to the left first. What
//! results is compared with the definition on both sides of each place where its result changes, for one factor after
//! the other: the larger it is, the less the machine rounds away that the definition does not.

use crate::fixed_point::Multiplier;

/// Bits that results can be shifted by, less one: for more, sums that saturate would not give results that do.
pub(super) const MOST_SHIFT: u8 = 19;
/// [`Scaled::shift`] of all channels of a layer whose results saturate at their zero point, few enough for multipliers
/// up to two.
pub(super) const FIXED_SHIFT: u8 = 5;
/// Results above the least.
const RESULTS: i64 = 255;
/// How many factors are tried.
const TRIED: usize = 256;
/// What is added to sums times a factor: halves of what the machine rounds first are one or two.
const NEAR: i32 = 3;

/// How the machine brings the sums of a channel to results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scaled {
    /// The sums are taken times this.
    pub(super) factor: i32,
    /// And this is added.
    pub(super) offset: i32,
    /// The multiplier.
    pub(super) multiplier: i32,
    /// One less than the bits that results are shifted to the right.
    pub(super) shift: u8,
}

impl Scaled {
    /// `sum` as the machine has it.
    pub(super) fn sum(&self, sum: i32) -> i32 {
        sum.wrapping_mul(self.factor).wrapping_add(self.offset)
    }
}

/// What a channel is to give for its sums.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    /// From sums to results.
    pub(super) multiplier: Multiplier,
    /// The least and the largest sum.
    pub(super) sums: [i32; 2],
    /// The largest magnitude of a weight.
    pub(super) weight: i32,
    /// The result's zero point.
    pub(super) to: i32,
    /// Bounds of the result.
    pub(super) bounds: [i32; 2],
}

impl Definition {
    /// Numbers with which a machine with the DSP instructions gives the same results; `None` where none of those tried
    /// do.
    pub(super) fn scaled(&self) -> Option<Scaled> {
        let narrow = self.sums.iter().all(|sum| sum.unsigned_abs() < 1 << 30);
        if let Some(shift) = shift(self.multiplier).filter(|_| narrow) {
            return Some(self.doubled(shift));
        }
        let most = (i32::from(i16::MAX) / self.weight.max(1)).min(self.most()?);
        self.compared((1..=most).rev().take(TRIED), 1)
    }

    /// Those of a machine with vectors: factors are powers of two, offsets even. `shift` is what it needs of the bits
    /// that the definition shifts to the right, if that is enough.
    pub(super) fn shifted(&self, shift: Option<u8>) -> Option<Scaled> {
        if let Some(shift) = shift {
            return Some(self.doubled(shift));
        }
        let most = self.most()?;
        self.compared((1..31).rev().map(|bits| 1 << bits).filter(|factor| *factor <= most), 2)
    }

    /// Twice the sums as the definition scales them.
    fn doubled(&self, shift: u8) -> Scaled {
        Scaled { factor: 2, offset: 0, multiplier: self.multiplier.value, shift }
    }

    /// The largest factor for which sums fit 32 bits.
    fn most(&self) -> Option<i32> {
        let sum = self.sums.iter().map(|sum| sum.unsigned_abs()).max().and_then(|sum| i32::try_from(sum).ok())?;
        Some((i32::MAX - 2 * NEAR) / sum.max(1))
    }

    /// Numbers with one of the `factors` and an offset that is a multiple of `unit`.
    fn compared(&self, factors: impl Iterator<Item = i32>, unit: i32) -> Option<Scaled> {
        let steps = self.steps()?;
        let closest = factors.filter_map(|factor| self.closest(factor));
        let mut tried =
            closest.flat_map(|scaled| (-NEAR..=NEAR).map(move |near| Scaled { offset: unit * near, ..scaled }));
        tried.find(|scaled| {
            steps.iter().all(|(ends, result)| ends.iter().all(|sum| self.machine(*scaled, *sum) == *result))
        })
    }

    /// Numbers with [`FIXED_SHIFT`] with which the machine gives the same results, if those saturate at the zero point;
    /// `None` where none of those tried do.
    pub(super) fn fixed(&self) -> Option<Scaled> {
        let [least, most] = self.sums.map(i64::from);
        if self.overflows() {
            return None;
        }
        let sum = least.abs().max(most.abs());
        // The first sum of each result that there is.
        let firsts: Vec<i64> =
            (1..=RESULTS).map_while(|result| self.first(result)).take_while(|f| *f <= most).collect();
        let largest = (i64::from(i16::MAX) / i64::from(self.weight.max(1))).min(i64::from(i32::MAX) / (sum + 1));
        (1..=largest).rev().take(TRIED).find_map(|factor| {
            let multiplier = self.multiplier(factor, FIXED_SHIFT).filter(|multiplier| *multiplier > 0)?;
            // What the machine brings to `result`, at least.
            let from = |result: i64| {
                let product = ((2 * result - 1) << (32 + FIXED_SHIFT)) - (1 << 31);
                (product + i64::from(multiplier) - 1) / i64::from(multiplier)
            };
            // What may be added to sums times the factor.
            let [mut low, mut high] = [i64::from(i32::MIN), i64::from(i32::MAX)];
            for (result, first) in (1..=RESULTS).zip(firsts.iter().copied().chain([most + 1])) {
                if first <= most {
                    low = low.max(from(result) - factor * first.max(least));
                }
                if first > least {
                    high = high.min(from(result) - 1 - factor * (first - 1));
                }
            }
            let offset = low.max(0).min(high);
            let fits = low <= high && factor * sum + offset.abs() <= i64::from(i32::MAX);
            let [factor, offset] = [factor, offset].map(i32::try_from);
            Some(Scaled { factor: factor.ok()?, offset: offset.ok()?, multiplier, shift: FIXED_SHIFT }).filter(|_| fits)
        })
    }

    /// The first sum, of any number of bits, whose result is so far above the zero point.
    fn first(&self, result: i64) -> Option<i64> {
        let Multiplier { value, shift } = self.multiplier;
        let [left, right] = [shift.max(0), (-shift).max(0)];
        // The definition rounds to 31 bits first, and then to the result.
        let rounded = (i128::from(result) << right) - if right > 0 { 1 << (right - 1) } else { 0 };
        let value = i128::from(value) << left;
        let product = (rounded << 31) - (1 << 30);
        if value == 0 { None } else { i64::try_from((product + value - 1).div_euclid(value)).ok() }
    }

    /// The multiplier for sums times `factor`, with as many bits as it can have.
    fn closest(&self, factor: i32) -> Option<Scaled> {
        let bits = |shift: &u8| self.multiplier(factor.into(), *shift);
        let shift = (0..=MOST_SHIFT).rev().find(|shift| bits(shift).is_some())?;
        Some(Scaled { factor, offset: 0, multiplier: bits(&shift)?, shift })
    }

    /// The multiplier for sums times `factor` and results shifted by one more than `shift`, if 32 bits hold it.
    fn multiplier(&self, factor: i64, shift: u8) -> Option<i32> {
        let left = self.multiplier.shift + 2 + i32::from(shift);
        let value = i128::from(self.multiplier.value);
        let wide = if left < 0 { value >> -left.max(-127) } else { value << left.min(64) };
        i32::try_from((wide + i128::from(factor / 2)) / i128::from(factor)).ok()
    }

    /// The first and the last sum of each result, in order; `None` where the definition overflows.
    fn steps(&self) -> Option<Vec<([i32; 2], i32)>> {
        let [mut first, end] = self.sums;
        if self.overflows() {
            return None;
        }
        let mut steps = Vec::new();
        loop {
            let result = self.result(first);
            let (mut last, mut beyond) = (first, i64::from(end) + 1);
            while i64::from(last) + 1 < beyond {
                let middle = i64::midpoint(last.into(), beyond);
                match i32::try_from(middle) {
                    Ok(sum) if self.result(sum) == result => last = sum,
                    _ => beyond = middle,
                }
            }
            steps.push(([first, last], result));
            if last == end {
                return Some(steps);
            }
            first = last + 1;
        }
    }

    /// Whether sums that the definition shifts to the left leave 32 bits.
    fn overflows(&self) -> bool {
        let left = self.multiplier.shift.clamp(0, 31);
        self.sums.iter().any(|sum| i32::try_from(i64::from(*sum) << left).is_err())
    }

    /// The result for `sum`.
    fn result(&self, sum: i32) -> i32 {
        self.clamp(i64::from(self.multiplier.apply(sum)) + i64::from(self.to))
    }

    /// What the machine gives for `sum`.
    fn machine(&self, scaled: Scaled, sum: i32) -> i32 {
        let sum = i64::from(sum) * i64::from(scaled.factor) + i64::from(scaled.offset);
        let product = (sum * i64::from(scaled.multiplier) + (1 << 31)) >> 32;
        let centre = i64::from(2 * self.to + 1) << scaled.shift;
        self.clamp((product + centre - i64::from(sum < 0)) >> scaled.shift >> 1)
    }

    fn clamp(&self, result: i64) -> i32 {
        let [min, max] = self.bounds;
        i32::try_from(result.clamp(min.into(), max.into())).unwrap_or(max)
    }
}

/// One less than the bits that results are shifted to the right, if the machine's rounding is the definition's:
/// at least one, and few enough for sums that saturate to give results that do.
pub(super) fn shift(multiplier: Multiplier) -> Option<u8> {
    match (multiplier.value, multiplier.shift) {
        (0, _) => Some(0),
        (_, shift) => u8::try_from(-1 - shift).ok().filter(|shift| *shift <= MOST_SHIFT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A channel whose sums go from `sums[0]` to `sums[1]`, by a multiplier of so many bits to the left.
    fn channel(value: i32, shift: i32, sums: [i32; 2], to: i32, min: i32) -> Definition {
        Definition { multiplier: Multiplier { value, shift }, sums, weight: 127, to, bounds: [min, 127] }
    }

    /// Numbers below what it is given, at random.
    fn random(mut state: u32) -> impl FnMut(u32) -> i32 {
        move |below| {
            state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            i32::try_from((state >> 8) % below).unwrap()
        }
    }

    /// Whether the machine gives the definition's result for each of its sums.
    fn is_exact(channel: &Definition, scaled: Scaled) -> bool {
        let [least, most] = channel.sums;
        (least..=most).all(|sum| channel.machine(scaled, sum) == channel.result(sum))
    }

    #[test]
    fn channels_that_are_not_shifted_to_the_right_are_exact() {
        let (mut next, mut found, mut shifted) = (random(1), 0, 0);
        for round in 0..400 {
            let value = (1 << 30) + (next(1 << 15) << 15) + next(1 << 15);
            let to = next(256) - 128;
            let min = if round % 2 == 0 { to } else { -128 };
            let channel = channel(value, round % 5 - 1, [-3000 - next(9000), 3000 + next(9000)], to, min);
            if let Some(scaled) = channel.scaled() {
                assert!(is_exact(&channel, scaled), "{channel:?} by {scaled:?}");
                found += 1;
            }
            if let Some(scaled) = channel.shifted(None) {
                assert!(is_exact(&channel, scaled), "{channel:?} by {scaled:?}");
                assert!(scaled.factor.count_ones() == 1 && scaled.factor > 1 && scaled.offset % 2 == 0, "{scaled:?}");
                shifted += 1;
            }
        }
        assert!(found > 340 && shifted > 340, "{found} and {shifted} of 400");
    }

    #[test]
    fn channels_whose_results_saturate_at_the_zero_point_are_shifted_alike() {
        let (mut next, mut found) = (random(7), 0);
        for round in 0..400 {
            let value = (1 << 30) + (next(1 << 15) << 15) + next(1 << 15);
            let bias = (next(1 << 16) - (1 << 15)) >> next(16);
            let sums = [bias - 1 - next(1 << 17), bias + next(1 << 17)];
            let channel = channel(value, 1 - round % 20, sums, -128, -128);
            if let Some(scaled) = channel.fixed() {
                assert_eq!(scaled.shift, FIXED_SHIFT);
                assert!(is_exact(&channel, scaled), "{channel:?} by {scaled:?}");
                found += 1;
            }
        }
        assert!(found > 390, "{found} of 400");
    }

    #[test]
    fn a_definition_that_overflows_is_left_alone() {
        assert_eq!(channel(0x5555_5555, 8, [-(1 << 23) - 1, 0], 3, -128).scaled(), None);
    }
}

//! Layers of i8 with their weights packed, as the kernels of [`Arch::Dsp`] take them.
//!
//! `PackedI8` of the runtime says how they lie. A machine multiplies pairs of 16 bits; two channels share a pair of
//! weights `256 * odd + even`, so that one sum carries both and the other frees it of the even one. That holds while
//! the odd channel's sum stays in 24 bits.

use super::scaled::{Definition, Scaled, shift};
use super::weights::{Channels, Quantised, WEIGHTS, quantised};
use super::{Lower, Lowered};
use crate::arch::Arch;
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::steps::Scratch;
use crate::variants::Variant;

/// Channels that are computed together.
const LANES: usize = 4;

/// Hundredths of an instruction that a product takes on a Cortex-M4, as layers of common sizes measure.
const COST: u64 = 95;
/// Those of one row, and what it takes beside its products and results, without five for four of its elements.
const ROW_COST: u64 = 89;
const ROW_MORE: usize = 267;
/// Those of a row straight from its bytes.
const DIRECT_COST: u64 = 102;
const DIRECT_MORE: usize = 95;
const DEPTHWISE_COST: u64 = 340;
const DEPTHWISE_3X3_COST: u64 = 240;
/// Those of the portable kernels, on Cortex-M55 too.
pub(super) const PORTABLE_COST: u64 = 320;
pub(super) const PORTABLE_DEPTHWISE_COST: u64 = 780;

/// A multiplier by which four times a number becomes the number.
const QUARTER: Multiplier = Multiplier { value: 1 << 30, shift: -1 };

/// A packed layer.
pub(super) struct Packed {
    /// The structure `PackedI8` of the kernels.
    pub(super) layer: Value,
    /// A row is to be multiplied straight from its bytes.
    pub(super) direct: bool,
    /// Bytes of scratch.
    scratch: usize,
}

/// The layer of `lower`, whose windows are runs of `len` elements, those of so many pixels in scratch at once; `None`
/// where its kernel has to be a portable one. One that can be `direct` needs no scratch, unless that is wanted.
///
/// # Errors
/// Scales so far apart that no multiplier bridges them.
pub(super) fn packed(
    lower: &mut Lower<'_>,
    channels: Channels,
    len: usize,
    pixels: usize,
    direct: bool,
) -> Result<Option<Packed>, Diagnostic> {
    let Some(layer) = Layer::new(lower, Arch::Dsp, channels, shift)? else { return Ok(None) };
    if !layer.filters.iter().enumerate().skip(1).step_by(2).all(|(channel, filter)| layer.carries(channel, filter)) {
        return Ok(None);
    }
    let runs = layer.filters[0].len() / len;
    let mut pairs: Vec<[Option<usize>; 2]> =
        (0..runs).flat_map(|run| run_pairs(len).map(move |pair| pair.map(|i| Some(run * len + i?)))).collect();
    if !pairs.len().is_multiple_of(2) {
        pairs.push([None; 2]);
    }
    let scratch = 4 * pixels * pairs.len();
    let direct = if direct {
        let widened = lower.variant("packed", scratch, ROW_COST, ROW_MORE + len + len / 4);
        lower.choose(vec![lower.variant("direct", 0, DIRECT_COST, DIRECT_MORE), widened]) == "direct"
    } else if lower.choose_or_portable("packed", scratch, [COST, PORTABLE_COST]) {
        false
    } else {
        return Ok(None);
    };
    let mut words = Vec::new();
    for first in (0..channels.count).step_by(LANES) {
        for even in [first, first + 2] {
            let [bias, odd] = [even, even + 1].map(|channel| layer.bias(channel));
            words.extend([(odd << 8).wrapping_add(bias), bias]);
        }
        for pair in &pairs {
            for even in [first, first + 2] {
                words.push(halves(pair.map(|index| 256 * layer.weight(even + 1, index) + layer.weight(even, index))));
            }
        }
        words.extend([layer.multiplier(first), layer.shifts(first)]);
        words.extend([1, 2, 3].map(|lane| layer.multiplier(first + lane)));
    }
    let layer = layer.packed(lower, &words, pairs.len());
    Ok(Some(Packed { layer, direct, scratch }))
}

/// The depthwise layer of `lower`, four channels at a time, whose argument and result take so many bytes `beside` the
/// larger of them; `None` where its kernel has to be one of the `others`.
///
/// # Errors
/// As for [`packed`].
pub(super) fn packed_depthwise(
    lower: &mut Lower<'_>,
    channels: Channels,
    beside: usize,
    others: &[Variant],
) -> Result<Option<Packed>, Diagnostic> {
    if !channels.count.is_multiple_of(LANES) {
        return Ok(None);
    }
    let Some((layer, scaled)) = Layer::scaled(lower, Arch::Dsp, channels, Definition::scaled)? else {
        return Ok(None);
    };
    let taps = layer.filters[0].len();
    let pairs = taps / 2;
    let scratch = 8 * pairs + 4 + channels.count;
    let variant = Variant { beside, ..lower.variant("packed", scratch, DEPTHWISE_COST, 0) };
    if !lower.choose_or(variant, others) {
        return Ok(None);
    }
    let lanes = [0, 1, 2, 3];
    let mut words = Vec::new();
    for first in (0..channels.count).step_by(LANES) {
        let weight = |lane: usize, tap: usize| {
            scaled[first + lane].factor * layer.weight(first + lane, (tap < taps).then_some(tap))
        };
        words.extend(lanes.map(|lane| scaled[first + lane].sum(layer.bias(first + lane))));
        for tap in (0..2 * pairs).step_by(2) {
            words.extend(lanes.map(|lane| halves([weight(lane, tap), weight(lane, tap + 1)])));
        }
        words.extend([0, 1].map(|lane| halves([weight(lane, 2 * pairs), weight(lane + 2, 2 * pairs)])));
        words.extend(lanes.map(|lane| layer.multiplier(first + lane)));
        words.push(layer.shifts(first));
    }
    let layer = layer.packed(lower, &words, pairs);
    Ok(Some(Packed { layer, direct: false, scratch }))
}

/// The structure `PackedI8` for the depthwise layer of `lower` of three by three taps, channel by channel; as
/// [`packed_depthwise`]. Where results saturate at the zero point, all channels are shifted alike.
///
/// # Errors
/// As for [`packed`].
pub(super) fn packed_3x3(
    lower: &mut Lower<'_>,
    channels: Channels,
    beside: usize,
    others: &[Variant],
    saturates: bool,
) -> Result<Option<Value>, Diagnostic> {
    let scaled = if saturates { Definition::fixed } else { Definition::scaled };
    let Some((layer, scaled)) = Layer::scaled(lower, Arch::Dsp, channels, scaled)? else { return Ok(None) };
    let variant = Variant { beside, ..lower.variant("3x3", 0, DEPTHWISE_3X3_COST, 0) };
    if !lower.choose_or(variant, others) {
        return Ok(None);
    }
    let mut words = Vec::new();
    for (channel, scaled) in scaled.iter().enumerate() {
        let weight = |tap: usize| scaled.factor * layer.weight(channel, Some(tap));
        words.extend([0, 1, 2].map(|column| halves([weight(column), weight(3 + column)])));
        words.push(halves([weight(6), weight(7)]));
        words.push(halves([weight(8), scaled.shift.into()]));
        words.extend([scaled.sum(layer.bias(channel)), scaled.multiplier]);
    }
    Ok(Some(layer.packed(lower, &words, 4)))
}

/// Two numbers of 16 bits in a word.
fn halves([low, high]: [i32; 2]) -> i32 {
    low & 0xffff | high << 16
}

impl Packed {
    /// The call of `kernel` over argument 0, in scratch.
    pub(super) fn call(self, kernel: &'static str, params: Struct, units: usize) -> Lowered {
        Lowered::one(kernel, params, vec![0], units).in_scratch(Scratch { bytes: self.scratch, dtype: DType::I32 })
    }
}

/// A layer in numbers that a machine can work with.
pub(super) struct Layer {
    pub(super) numbers: Quantised,
    /// The weights of each channel.
    pub(super) filters: Vec<Vec<i8>>,
    /// What the machine needs of the bits that results are shifted by.
    pub(super) shifts: Vec<u8>,
}

impl Layer {
    /// The layer of `lower`; `None` for another machine than `arch`, and where its `shift` or the numbers do not
    /// suffice.
    ///
    /// # Errors
    /// As for [`packed`].
    pub(super) fn new(
        lower: &Lower<'_>,
        arch: Arch,
        channels: Channels,
        shift: fn(Multiplier) -> Option<u8>,
    ) -> Result<Option<Self>, Diagnostic> {
        if lower.arch != arch {
            return Ok(None);
        }
        let Some(mut numbers) = quantised(lower, channels)? else { return Ok(None) };
        let mut filters = channels.filters(&numbers.weights);
        if let [one] = numbers.multipliers[..] {
            numbers.multipliers = vec![one; channels.count];
        }
        for (channel, filter) in filters.iter_mut().enumerate() {
            if let Some(constant) = numbers.constant(channel, filter) {
                filter.fill(0);
                numbers.bias[channel] = 4 * constant;
                numbers.multipliers[channel] = QUARTER;
            }
        }
        let shifts: Option<Vec<u8>> = numbers.multipliers.iter().copied().map(shift).collect();
        Ok(shifts.map(|shifts| Self { numbers, filters, shifts }))
    }

    /// The depthwise layer of `lower`, and how the sums of each channel are `scaled`.
    ///
    /// # Errors
    /// As for [`packed`].
    pub(super) fn scaled(
        lower: &Lower<'_>,
        arch: Arch,
        channels: Channels,
        scaled: fn(&Definition) -> Option<Scaled>,
    ) -> Result<Option<(Self, Vec<Scaled>)>, Diagnostic> {
        let Some(mut layer) = Self::new(lower, arch, channels, |_| Some(0))? else { return Ok(None) };
        let Quantised { to, bounds, .. } = layer.numbers;
        let of_channel = |(channel, filter): (usize, &Vec<i8>)| {
            let weight = filter.iter().map(|weight| i32::from(*weight).abs()).max().unwrap_or(0);
            let (multiplier, sums) = (layer.numbers.multipliers[channel], layer.numbers.sums(channel, filter)?);
            scaled(&Definition { multiplier, sums, weight, to, bounds })
        };
        let Some(scaled) = layer.filters.iter().enumerate().map(of_channel).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        for (channel, Scaled { multiplier, shift, .. }) in scaled.iter().enumerate() {
            layer.numbers.multipliers[channel].value = *multiplier;
            layer.shifts[channel] = *shift;
        }
        Ok(Some((layer, scaled)))
    }

    /// The structure `PackedI8` of the kernels.
    fn packed(&self, lower: &mut Lower<'_>, words: &[i32], pairs: usize) -> Value {
        let name = format!("{}_packed", lower.static_name(WEIGHTS));
        let Quantised { from, to, bounds: [min, max], .. } = self.numbers;
        let fields = vec![
            ("packed", Value::Slice(lower.static_i32(name, words, true))),
            ("pairs", Value::size(pairs)),
            ("channels", Value::size(self.filters.len())),
            ("from", Value::Int(from.into())),
            ("to", Value::Int(to.into())),
            ("min", Value::Int(min.into())),
            ("max", Value::Int(max.into())),
        ];
        Value::Struct(Struct { name: "PackedI8", fields })
    }

    /// Zero for a channel that fills up the last four; so are the others.
    pub(super) fn bias(&self, channel: usize) -> i32 {
        self.numbers.bias.get(channel).copied().unwrap_or(0)
    }

    /// Whether an odd channel's sums stay in 24 bits for every argument, with its bias and without it, and its weights
    /// fit beside an even one.
    fn carries(&self, channel: usize, filter: &[i8]) -> bool {
        let sum: u64 = filter.iter().map(|weight| u64::from(weight.unsigned_abs())).sum();
        let biased = self.numbers.sums(channel, filter);
        128 * sum < 1 << 23
            && biased.is_some_and(|sums| sums.iter().all(|sum| sum.unsigned_abs() < 1 << 23))
            && filter.iter().all(|weight| *weight > i8::MIN)
    }

    fn weight(&self, channel: usize, index: Option<usize>) -> i32 {
        index.and_then(|index| Some(i32::from(self.filters.get(channel)?[index]))).unwrap_or(0)
    }

    pub(super) fn multiplier(&self, channel: usize) -> i32 {
        self.numbers.multipliers.get(channel).map_or(0, |multiplier| multiplier.value)
    }

    /// A byte for each of four channels.
    fn shifts(&self, first: usize) -> i32 {
        let shift = |lane| self.shifts.get(first + lane).copied().unwrap_or(0);
        i32::from_le_bytes([0, 1, 2, 3].map(shift))
    }
}

impl Quantised {
    /// What `channel` gives for every argument, without the zero point; `None` if that differs.
    ///
    /// Networks have such channels where training drove a filter to zero; their scales may be out of all proportion.
    fn constant(&self, channel: usize, filter: &[i8]) -> Option<i32> {
        // A shift to the left may overflow.
        let [least, most] = self.sums(channel, filter).filter(|_| self.multipliers[channel].shift <= 0)?;
        let [min, max] = self.bounds.map(|bound| bound - self.to);
        let [low, high] = [least, most].map(|sum| self.multipliers[channel].apply(sum).clamp(min, max));
        (low == high).then_some(low)
    }

    /// The least and the largest sum of `channel`; `None` if they leave 32 bits.
    fn sums(&self, channel: usize, filter: &[i8]) -> Option<[i32; 2]> {
        let product = |weight: i8, x: i64| i64::from(weight) * x;
        let sum = |negative: i64, positive: i64| -> Option<i32> {
            let products = filter.iter().map(|w| product(*w, if *w < 0 { negative } else { positive }));
            i32::try_from(i64::from(self.bias[channel]) + products.sum::<i64>()).ok()
        };
        Some([sum(127, -128)?, sum(-128, 127)?])
    }
}

/// The elements of each pair of a run of `len`: of four, 0 with 2 and 1 with 3; two at the end together.
fn run_pairs(len: usize) -> impl Iterator<Item = [Option<usize>; 2]> {
    (0..len).step_by(4).flat_map(move |first| {
        let element = |lane: usize| (first + lane < len).then_some(first + lane);
        let (pairs, count) = match len - first {
            1 => ([[element(0), None]; 2], 1),
            2 => ([[element(0), element(1)]; 2], 1),
            _ => ([[element(0), element(2)], [element(1), element(3)]], 2),
        };
        pairs.into_iter().take(count)
    })
}

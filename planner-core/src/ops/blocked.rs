//! Layers of i8 with their weights in blocks of 16, as the kernels of [`Arch::Mve`] take them.
//!
//! `BlockedI8` and `PlanesI8` of the runtime say how they lie.

use super::conv2d::conv;
use super::depthwise_conv2d;
use super::depthwise_ring::{self, RING};
use super::lead::{Lead, beside};
use super::packed::{Layer, PORTABLE_COST};
use super::scaled::Scaled;
use super::slide::Slide;
use super::strides::signed;
use super::weights::{Channels, WEIGHTS};
use super::{Lower, Lowered};
use crate::arch::Arch;
use crate::diagnostic::Diagnostic;
use crate::distances::{Direction, Distances};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::steps::Scratch;
use crate::variants::Variant;

/// What steps call the kernels for vectors.
const VARIANT: &str = "vectors";
/// Elements of a block.
const BLOCK: usize = 16;
/// Pixels of which the windows are copied at once.
const PIXELS: usize = 4;
/// Channels of a depthwise layer that are computed together, and pixels of each.
const PLANES: usize = 8;
/// What steps call depthwise layers that take a few pixels of a row at a time.
const NARROW: &str = "narrow";
/// Most pixels of those.
const NARROW_PIXELS: usize = 7;
/// Most blocks of a depthwise window.
const MOST_BLOCKS: usize = 4;
/// Instructions of a Cortex-M55, as layers of common sizes measure: those of a block of four pixels by two channels,
/// and besides of their results.
const BLOCK_COST: usize = 15;
const RESULTS_COST: usize = 29;
/// What four pixels of a convolution take besides, and four rows.
const WINDOWS_COST: usize = 350;
const ROWS_COST: usize = 65;
/// Hundredths of an instruction that a product of a depthwise layer takes.
const DEPTHWISE_COST: u64 = 88;
/// What a part of a row of a depthwise layer takes beside, and eight channels of it; and those of a row of one in
/// place.
const PART_COST: usize = 430;
const CALL_COST: usize = 130;
const RING_CALL_COST: usize = 650;

/// The call of a convolution of argument 0 in one group; `None` where its kernel has to be a portable one.
///
/// # Errors
/// Scales so far apart that no multiplier bridges them.
pub(super) fn convolution(
    lower: &mut Lower<'_>,
    slide: Slide,
    channels: Channels,
) -> Result<Option<Lowered>, Diagnostic> {
    let slide = slide.along_rows();
    let [batch, inputs] = [0, 3].map(|axis| lower.arg(0).shape[axis]);
    let pixels = (batch * slide.y.output * slide.x.output).min(PIXELS);
    let Some(Blocked { layer, scratch }) = blocked(lower, channels, pixels, WINDOWS_COST)? else { return Ok(None) };
    let shape = conv(slide, batch, 1, [inputs, channels.count]);
    let params = Struct { name: "ConvBlockedI8", fields: vec![("shape", shape), ("layer", layer)] };
    let sizes = [inputs, channels.count];
    let lead = slide.lead(Lead::cell(lower, 0, sizes, 0), batch, sizes);
    let call = Lowered::one("conv2d_blocked_i8", params, vec![0], batch * slide.y.output);
    Ok(Some(call.in_scratch(scratch).lead(lower, 0, lead)))
}

/// The call that multiplies each of `count` rows of argument 0 with the weights; `None` where its kernel has to be
/// a portable one. That is faster for a single row, whose weights are read only once.
///
/// # Errors
/// As for [`convolution`].
pub(super) fn rows(
    lower: &mut Lower<'_>,
    shape: &Value,
    count: usize,
    sizes: [usize; 2],
    channels: Channels,
) -> Result<Option<Lowered>, Diagnostic> {
    if count == 1 {
        return Ok(None);
    }
    let Some(Blocked { layer, scratch }) = blocked(lower, channels, count.min(PIXELS), ROWS_COST)? else {
        return Ok(None);
    };
    let params = Struct { name: "DenseBlockedI8", fields: vec![("shape", shape.clone()), ("layer", layer)] };
    let lead = Lead::cell(lower, 0, sizes, 0).along(count, sizes.map(signed));
    let call = Lowered::one("dense_blocked_i8", params, vec![0], count);
    Ok(Some(call.in_scratch(scratch).lead(lower, 0, lead)))
}

/// The call of a depthwise convolution of argument 0 with one result a channel; `None` where its kernel has to be one
/// of the `others`.
///
/// # Errors
/// As for [`convolution`].
pub(super) fn depthwise(
    lower: &mut Lower<'_>,
    slide: Slide,
    channels: Channels,
    others: &[Variant],
) -> Result<Option<Lowered>, Diagnostic> {
    let slide = slide.along_rows();
    let (count, batch) = (channels.count, lower.arg(0).shape[0]);
    let columns = (slide.x.taps - 1) * slide.x.dilation + 1;
    let Some((layer, scaled)) = Layer::scaled(lower, Arch::Mve, channels, |channel| {
        channel.shifted(shift(channel.multiplier).map(|shift| shift - 1))
    })?
    else {
        return Ok(None);
    };
    let blocks = |pitch: usize| (columns * pitch).div_ceil(BLOCK);
    let in_pairs = |pitch: usize| blocks(pitch) == 1 && [4, 8].contains(&(slide.x.stride * pitch));
    // Sums of pixels in pairs cannot be shifted to the left.
    let is_shifted = scaled.iter().any(|scaled| scaled.factor > 2);
    let suffices = |pitch: &usize| !(is_shifted && in_pairs(*pitch));
    // Windows start at words where that takes no more blocks.
    let aligned = slide.y.taps.next_power_of_two();
    let is_close = blocks(slide.y.taps) < blocks(aligned) || !suffices(&aligned);
    let least = if is_close { slide.y.taps } else { aligned };
    let pitch = (least..=least + 8).find(suffices).unwrap_or(least);
    let blocks = blocks(pitch);
    let step = slide.x.stride * pitch;
    let together = if in_pairs(pitch) { 2 } else { PLANES };
    let plane = |pixels: usize| (pixels - 1) * step + columns * pitch;
    // The last windows reach further: over pixels that are none, and zeros of their filters.
    let size = |pixels: usize| {
        let further = (pixels.next_multiple_of(together) - pixels) * step + blocks * BLOCK - columns * pitch;
        PLANES * plane(pixels) + further
    };
    // Places in planes and in results have 16 bits.
    if count < PLANES || count.max(plane(slide.x.output)) >= 1 << 13 || blocks > MOST_BLOCKS {
        return Ok(None);
    }
    let row = slide.x.output;
    let narrow = row.div_ceil(row.div_ceil(NARROW_PIXELS));
    let groups = count.div_ceil(PLANES);
    let distances = |part| plane_distances(lower, slide, count, batch, part);
    let of_row = distances(row);
    let of_part = if narrow < row { distances(narrow) } else { of_row };
    let variant = |name, part, distances, cost: usize| {
        let parts = batch * slide.y.output * row.div_ceil(part);
        Variant { beside: beside(lower, 0, distances), ..lower.variant(name, size(part), DEPTHWISE_COST, cost * parts) }
    };
    let cost = PART_COST + CALL_COST * groups;
    let mut variants = vec![variant(VARIANT, row, of_row, cost)];
    if narrow < row {
        variants.push(variant(NARROW, narrow, of_part, cost));
    }
    // In place, where channels meet their own kind only and rows of taps are neighbours.
    let in_place = depthwise_ring::distances(lower, slide, batch, count, Direction::Forward);
    let has_ring = count.is_multiple_of(PLANES) && slide.y.dilation == 1;
    if has_ring {
        let never = Distances::at_least(usize::MAX);
        let ring = variant(RING, row, [in_place, never], RING_CALL_COST * groups);
        variants.extend((ring.bytes() < variants[0].bytes()).then_some(ring));
    }
    variants.extend(others.iter().filter(|other| !has_ring || other.name != RING).cloned());
    let name = lower.choose(variants);
    let (part, distances) = match name {
        NARROW => (narrow, of_part),
        VARIANT => (row, of_row),
        RING if has_ring => (row, of_row),
        _ => return Ok(None),
    };
    let (plane, scratch) = (plane(part), bytes(size(part)));
    let mut words = Vec::new();
    for first in (0..count).step_by(PLANES).map(|first| first.min(count - PLANES)) {
        for four in [first, first + 4] {
            for filter in &layer.filters[four..four + 4] {
                let mut places = vec![0; blocks * BLOCK];
                for (tap, weight) in filter.iter().enumerate() {
                    let (row, column) = (tap / slide.x.taps, tap % slide.x.taps);
                    places[column * slide.x.dilation * pitch + row] = *weight;
                }
                words.extend(as_words(&places));
            }
            let ends = [0, 1, 2, 3].map(|lane| layer.shifted_end(four + lane, scaled[four + lane]));
            words.extend([0, 1, 2].iter().flat_map(|field| ends.map(|end| end[*field])));
        }
    }
    let fields = vec![
        ("pitch", Value::size(pitch)),
        ("plane", Value::size(plane)),
        ("part", Value::size(part)),
        ("from", Value::Int(layer.numbers.from.into())),
    ];
    let layer = layer.params(lower, "PlanesI8", &words, blocks, fields);
    let shape = depthwise_conv2d::shape(slide, batch, [count; 2]);
    let params = Struct { name: "DepthwisePlanesI8", fields: vec![("shape", shape), ("layer", layer)] };
    if name == RING {
        let call = Lowered::one("depthwise_conv2d_planes_ring_i8", params, vec![0], count / PLANES);
        return Ok(Some(call.in_scratch(scratch).overlap(lower, 0, Direction::Forward, in_place)));
    }
    let call = Lowered::one("depthwise_conv2d_planes_i8", params, vec![0], batch * slide.y.output);
    Ok(Some(call.in_scratch(scratch).overlaps(lower, 0, distances)))
}

/// The safe distances of a depthwise layer of `count` channels in planes, `part` pixels of a row at a time.
fn plane_distances(lower: &Lower<'_>, slide: Slide, count: usize, batch: usize, part: usize) -> [Distances; 2] {
    let rows = [slide.x.input * count, slide.x.output * count];
    let images = [slide.y.input * rows[0], slide.y.output * rows[1]].map(signed);
    let columns = (slide.x.taps - 1) * slide.x.dilation + 1;
    // What a part of a row reads, told at the pixel at which it begins or ends.
    let read = |pixel: usize, ends: bool| {
        let start = pixel / part * part;
        let last = (start + part).min(slide.x.output) - 1;
        let first = (start * slide.x.stride).saturating_sub(slide.x.before);
        let end = (last * slide.x.stride + columns).saturating_sub(slide.x.before).min(slide.x.input);
        (pixel == if ends { last } else { start } && first < end).then(|| [first, end - 1])
    };
    let lead = |behind, ends| {
        let pixels = Lead::cell(lower, 0, [count; 2], behind);
        let reads = (0..slide.x.output).map(|pixel| read(pixel, ends));
        pixels.at(reads, [count; 2]).slide(&slide.y, rows).along(batch, images)
    };
    // The last group has some channels again.
    let again = count.next_multiple_of(PLANES) - count;
    Direction::BOTH.map(|direction| {
        // A part of all channels of the groups before is written when a group is read, and of the last also its own.
        let behind = match direction {
            _ if count == PLANES => 0,
            Direction::Forward => (part - 1) * count + again,
            Direction::Backward => part * count,
        };
        let backward = direction == Direction::Backward;
        let own = lead(0, backward).distances(direction).any;
        let any = lead(behind, backward && behind == 0).distances(direction).any;
        // Where channels meet their own kind only, other groups do not matter.
        if again == 0 { Distances { from: own, multiple: count, any } } else { Distances::at_least(any) }
    })
}

/// A layer with its weights in blocks.
struct Blocked {
    /// The structure `BlockedI8` of the kernels.
    layer: Value,
    /// For the windows.
    scratch: Scratch,
}

/// The layer of `lower` with the windows of `pixels` pixels in scratch at once, which take so many instructions `more`.
fn blocked(
    lower: &mut Lower<'_>,
    channels: Channels,
    pixels: usize,
    more: usize,
) -> Result<Option<Blocked>, Diagnostic> {
    if channels.count == 1 {
        return Ok(None);
    }
    let Some(layer) = Layer::new(lower, Arch::Mve, channels, shift)? else { return Ok(None) };
    let inputs = layer.filters[0].len();
    let blocks = inputs.div_ceil(BLOCK);
    let scratch = bytes(pixels * blocks * BLOCK);
    let four = channels.count.div_ceil(2) * (BLOCK_COST * blocks + RESULTS_COST) + more;
    let cost = (100 * four).div_ceil(PIXELS * inputs * channels.count) as u64;
    // Where a pixel has few products they take longer in the portable kernel too.
    if !lower.choose_or_portable(VARIANT, scratch.bytes, [cost.min(PORTABLE_COST), PORTABLE_COST]) {
        return Ok(None);
    }
    let mut words = Vec::new();
    for first in (0..channels.count).step_by(2).map(|first| first.min(channels.count - 2)) {
        let pair = [first, first + 1];
        for block in 0..blocks {
            for channel in pair {
                let weights = layer.filters[channel].iter().skip(block * BLOCK).copied();
                let block: Vec<i8> = weights.chain(std::iter::repeat(0)).take(BLOCK).collect();
                words.extend(as_words(&block));
            }
        }
        words.extend(pair.iter().flat_map(|channel| layer.end(*channel)));
    }
    let fields = vec![("channels", Value::size(channels.count)), ("from", Value::Int(layer.numbers.from.into()))];
    let layer = layer.params(lower, "BlockedI8", &words, blocks, fields);
    Ok(Some(Blocked { layer, scratch }))
}

impl Layer {
    /// What follows the weights of a channel: bias, multiplier, shift.
    fn end(&self, channel: usize) -> [i32; 3] {
        [self.bias(channel), self.multiplier(channel), -i32::from(self.shifts[channel])]
    }

    /// As [`end`](Self::end) where sums are `scaled`: the shift in the lowest byte, and the bits that sums are shifted
    /// to the left before the bias is added in the next.
    fn shifted_end(&self, channel: usize, scaled: Scaled) -> [i32; 3] {
        let left = scaled.factor.trailing_zeros().cast_signed() - 1;
        let right = i32::from(scaled.shift) + 1;
        let bias = self.bias(channel).wrapping_shl(left.cast_unsigned()).wrapping_add(scaled.offset / 2);
        [bias, scaled.multiplier, left << 8 | -right & 0xff]
    }

    /// The structure `name` of the kernels.
    fn params(
        &self,
        lower: &mut Lower<'_>,
        name: &'static str,
        words: &[i32],
        blocks: usize,
        more: Vec<(&'static str, Value)>,
    ) -> Value {
        let data = lower.static_i32(format!("{}_blocked", lower.static_name(WEIGHTS)), words, true);
        let [min, max] = self.numbers.bounds;
        let mut fields = vec![("blocked", Value::Slice(data)), ("blocks", Value::size(blocks))];
        fields.extend(more);
        fields.extend(
            [("to", self.numbers.to), ("min", min), ("max", max)].map(|(name, v)| (name, Value::Int(v.into()))),
        );
        Value::Struct(Struct { name, fields })
    }
}

/// So much scratch, wherever it starts.
fn bytes(bytes: usize) -> Scratch {
    Scratch { bytes, dtype: DType::I8 }
}

/// The bits that results are shifted to the right, if there are any: otherwise the machine's rounding does not hold.
fn shift(multiplier: Multiplier) -> Option<u8> {
    match (multiplier.value, multiplier.shift) {
        (0, _) => Some(1),
        (_, shift @ -31..=-1) => u8::try_from(-shift).ok(),
        _ => None,
    }
}

/// Four bytes a word.
fn as_words(bytes: &[i8]) -> Vec<i32> {
    let word = |chunk: &[i8]| i32::from_le_bytes([0, 1, 2, 3].map(|i| chunk[i].cast_unsigned()));
    bytes.chunks_exact(4).map(word).collect()
}

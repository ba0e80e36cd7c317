//! What the functions of machines with vectors compute of depthwise layers.

use super::super::{Filter, Plane};
use super::blocked::{result, weight};
use crate::kernels::blocked::BLOCK;
use crate::kernels::planes::{CHANNELS, LANES, PlanesI8, words};
use crate::kernels::{Elements, Sink};

/// Copies eight channels of each pixel to its column in the channel's plane.
pub(in crate::kernels) fn spread(x: impl Elements<i8>, planes: impl Sink<i8>, plane: &Plane) {
    for row in 0..plane.rows {
        for (pixel, channel) in (0..plane.count).flat_map(|pixel| (0..CHANNELS).map(move |channel| (pixel, channel))) {
            let value = x.at(plane.from + row * plane.row_step + pixel * plane.step + channel);
            planes.put(channel * plane.plane + plane.at + row + pixel * plane.pitch, value);
        }
    }
}

/// Copies eight channels of `plane` to their planes and computes their results, then the next eight. Where `plane` has
/// no rows or pixels, the planes are as they should be.
pub(in crate::kernels) fn filter_planes(
    p: &PlanesI8<'_>,
    x: impl Elements<i8>,
    planes: impl Sink<i8>,
    y: impl Sink<i8>,
    plane: Plane,
    filter: Filter,
) {
    for group in 0..filter.channels.div_ceil(CHANNELS) {
        let first = (group * CHANNELS).min(filter.channels.saturating_sub(CHANNELS));
        spread(x, planes, &Plane { from: plane.from + first, ..plane });
        filter_group(p, planes, y, Filter { group: filter.group + group, to: filter.to + first, ..filter });
    }
}

/// Results of eight channels.
fn filter_group(p: &PlanesI8<'_>, planes: impl Sink<i8>, y: impl Sink<i8>, filter: Filter) {
    for channel in 0..CHANNELS {
        let (four, lane) = ((filter.group * CHANNELS + channel) / LANES, channel % LANES);
        let four = p.blocked.part(four * words(p.blocks)..(four + 1) * words(p.blocks));
        let weights = four.after(lane * p.blocks * BLOCK / 4);
        let end = four.after(LANES * p.blocks * BLOCK / 4 + lane);
        for pixel in 0..filter.pixels {
            let window = channel * p.plane + pixel * filter.step;
            let sum = (0..p.blocks * BLOCK).fold(0_i32, |sum, index| {
                sum.wrapping_add(i32::from(planes.at(window + index)) * weight(weights, index))
            });
            let [right, left, ..] = end.at(2 * LANES).to_le_bytes();
            let sum = sum.wrapping_shl(left.into()).wrapping_add(end.at(0));
            let result = result(sum, end.at(LANES), right.cast_signed().into(), [p.to, p.min, p.max]);
            y.put(filter.to + pixel * filter.to_step + channel, result);
        }
    }
}

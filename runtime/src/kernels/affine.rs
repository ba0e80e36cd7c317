//! A factor and an offset for each channel.

use super::{Elements, Sink, Units};

/// Parameters of [`affine_f32`].
#[derive(Clone, Copy, Debug)]
pub struct Affine<'a> {
    /// A factor for each channel.
    pub scale: &'a [f32],
    /// As many offsets.
    pub offset: &'a [f32],
}

/// `x * scale + offset` over the last dimension. A unit is a row of channels;
/// each element is read before it is written.
pub fn affine_f32(p: &Affine<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    for row in units {
        let start = row * p.scale.len();
        for (channel, (scale, offset)) in p.scale.iter().zip(p.offset).enumerate() {
            y.put(start + channel, x.at(start + channel) * scale + offset);
        }
    }
}

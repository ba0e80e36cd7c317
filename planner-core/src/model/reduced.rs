//! Tensors that have lost channels, their last dimension.

use super::{TensorId, TensorType};
use crate::shape::Shape;

/// A tensor that has fewer channels than its operator gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The tensor.
    pub tensor: TensorId,
    /// What became of each channel that it would have.
    pub channels: Vec<Channel>,
}

/// What became of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// It is still there.
    Kept,
    /// It is this integer for every input of the network.
    Constant(i32),
    /// No output depends on it.
    Unread,
}

impl Reduced {
    /// How many channels are not there any more.
    #[must_use]
    pub fn removed(&self) -> usize {
        self.channels.iter().filter(|channel| **channel != Channel::Kept).count()
    }

    /// The type that the tensor, which is of `ty`, would have with all of its channels.
    #[must_use]
    pub fn whole(&self, ty: &TensorType) -> TensorType {
        let mut dims = ty.shape.to_vec();
        if let Some(last) = dims.last_mut() {
            *last = self.channels.len();
        }
        // There was such a tensor.
        TensorType { shape: Shape::new(dims).unwrap_or_else(|_| ty.shape.clone()), ..ty.clone() }
    }

    /// The tensor with all of its channels, its elements of `size` bytes: those of `kept`, constants, and what `other`,
    /// a tensor with all channels, has where nobody knows.
    #[must_use]
    pub fn restored(&self, size: usize, kept: &[u8], other: &[u8]) -> Vec<u8> {
        let mut kept = kept.chunks(size);
        let elements = other.chunks(size).zip(self.channels.iter().cycle());
        let element = |(other, channel): (&[u8], &Channel)| match channel {
            Channel::Kept => kept.next().unwrap_or_default().to_vec(),
            Channel::Constant(constant) => constant.to_le_bytes().into_iter().take(size).collect(),
            Channel::Unread => other.to_vec(),
        };
        elements.flat_map(element).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_is_restored_channel_by_channel() {
        let channels = vec![Channel::Constant(-2), Channel::Kept, Channel::Unread];
        let reduced = Reduced { tensor: TensorId(0), channels };
        assert_eq!(reduced.removed(), 2);
        assert_eq!(reduced.restored(1, &[7, 8], &[1, 2, 3, 4, 5, 6]), [254, 7, 3, 254, 8, 6]);
        assert_eq!(reduced.restored(2, &[7, 0], &[1, 2, 3, 4, 5, 6]), [254, 255, 7, 0, 5, 6]);
    }
}

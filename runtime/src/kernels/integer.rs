//! The integers that stand for reals.

use bytemuck::Pod;

/// An integer type that tensors may be quantised to.
pub trait Integer: Pod + Ord + Into<i32> {
    /// Its smallest number.
    const MIN: Self;

    /// `x`, which lies in its range.
    fn low(x: i32) -> Self;

    /// Its number nearest to `x`.
    fn nearest(x: i32) -> Self;
}

macro_rules! integer {
    ($($ty:ty),+) => {$(
        impl Integer for $ty {
            const MIN: Self = Self::MIN;

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in its range")]
            fn low(x: i32) -> Self {
                x as Self
            }

            #[inline(always)]
            fn nearest(x: i32) -> Self {
                Self::low(x.max(Self::MIN.into()).min(Self::MAX.into()))
            }
        }
    )+};
}

integer!(i8, u8, i16, i32);

/// An integer of a byte, which a table of 256 entries can map.
pub trait Byte: Integer {
    /// Its place among the 256 in ascending order.
    fn rank(self) -> usize;

    /// The integer of the same bits.
    fn of_bits(bits: i8) -> Self;
}

impl Byte for i8 {
    #[inline(always)]
    fn rank(self) -> usize {
        usize::from(self.cast_unsigned() ^ 0x80)
    }

    #[inline(always)]
    fn of_bits(bits: i8) -> Self {
        bits
    }
}

impl Byte for u8 {
    #[inline(always)]
    fn rank(self) -> usize {
        usize::from(self)
    }

    #[inline(always)]
    fn of_bits(bits: i8) -> Self {
        bits.cast_unsigned()
    }
}

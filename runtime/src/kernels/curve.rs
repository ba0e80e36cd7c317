//! The logistic function and the hyperbolic tangent of i16, by a table of the first.
//! A unit is an element, read before it is written. Bit for bit TensorFlow Lite's `Logistic` and `Tanh` of int16.

use super::unary::map;
use super::{Elements, Sink, Units};

/// How an element becomes a place on the curve.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// `1 / (1 + exp(-i / 24)) - 1 / 2` with 16 fractional bits for `i` in 0..256.
    pub sigmoid: &'a [i16],
    /// Factor of the argument; with `shift`, to steps of 1 / 12288.
    pub multiplier: i32,
    /// Bits by which products are shifted to the right.
    pub shift: u32,
}

impl Curve<'_> {
    #[inline(always)]
    fn place(&self, x: i16) -> i32 {
        let half = 1i32.wrapping_shl(self.shift) >> 1;
        i32::from(x).wrapping_mul(self.multiplier).wrapping_add(half).wrapping_shr(self.shift)
    }

    /// The table at `place` steps of `1 << bits`, between its entries too; `bits` more fractional bits.
    #[inline(always)]
    fn between(&self, place: u32, bits: u32) -> Option<u32> {
        let index = (place >> bits) as usize;
        if index >= 255 {
            return None;
        }
        let [a, b] = [index, index + 1].map(|i| u32::from(self.sigmoid.at(i).cast_unsigned()) + (1 << 15));
        Some((a << bits).wrapping_add((place & ((1 << bits) - 1)).wrapping_mul(b.wrapping_sub(a))))
    }

    /// `1 / (1 + exp(-x))`
    #[inline(always)]
    pub(super) fn sigmoid(&self, x: i16) -> i16 {
        let place = self.place(x);
        let value = self.between(place.unsigned_abs(), 9).unwrap_or(0x7fff << 10);
        let value = if place >= 0 { value + (1 << 9) } else { (1 << 25) + (1 << 9) - 1 - value };
        low_i16(value >> 10)
    }

    /// `tanh(x)`
    #[inline(always)]
    pub(super) fn tanh(&self, x: i16) -> i16 {
        let place = self.place(x);
        let value = self.between(place.unsigned_abs(), 8).unwrap_or(0xffff << 8).cast_signed();
        let value = if place >= 0 { value - (1 << 23) + (1 << 7) } else { (1 << 23) + (1 << 7) - 1 - value };
        low_i16((value >> 8).cast_unsigned())
    }
}

/// `1 / (1 + exp(-x))` with a result of scale 1/32768.
pub fn sigmoid_i16(p: &Curve<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x: i16| p.sigmoid(x));
}

/// `tanh(x)` with a result of scale 1/32768, as `2 * sigmoid(2 * x) - 1`.
pub fn tanh_i16(p: &Curve<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x: i16| p.tanh(x));
}

#[allow(clippy::cast_possible_truncation, reason = "in the range of i16")]
#[inline(always)]
fn low_i16(bits: u32) -> i16 {
    bits as i16
}

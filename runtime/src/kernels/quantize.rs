//! From real numbers to i8 and back. A unit is an element, read before it is written.

use super::{Elements, Quant, Sink};
use core::ops::Range;

/// [`Quant::quantize`] of each element.
pub fn quantize_i8(p: &Quant, x: impl Elements<f32>, y: impl Sink<i8>, units: Range<usize>) {
    for (i, x) in units.clone().zip(x.part(units).values()) {
        y.put(i, p.quantize(x));
    }
}

/// [`Quant::dequantize`] of each element.
pub fn dequantize_i8(p: &Quant, x: impl Elements<i8>, y: impl Sink<f32>, units: Range<usize>) {
    for (i, x) in units.clone().zip(x.part(units).values()) {
        y.put(i, p.dequantize(x));
    }
}

//! From real numbers to integers and back. A unit is an element, read before it is written.

use super::unary::map;
use super::{Elements, Quant, Sink, Units};

/// [`Quant::quantize`] of each element.
pub fn quantize_i8(p: &Quant, x: impl Elements<f32>, y: impl Sink<i8>, units: Units) {
    map(x, y, units, |x| p.quantize(x));
}

/// [`Quant::quantize`] of each element.
pub fn quantize_u8(p: &Quant, x: impl Elements<f32>, y: impl Sink<u8>, units: Units) {
    map(x, y, units, |x| p.quantize(x));
}

/// [`Quant::quantize`] of each element.
pub fn quantize_i16(p: &Quant, x: impl Elements<f32>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x| p.quantize(x));
}

/// [`Quant::dequantize`] of each element.
pub fn dequantize_i8(p: &Quant, x: impl Elements<i8>, y: impl Sink<f32>, units: Units) {
    map(x, y, units, |x: i8| p.dequantize(x));
}

/// [`Quant::dequantize`] of each element.
pub fn dequantize_u8(p: &Quant, x: impl Elements<u8>, y: impl Sink<f32>, units: Units) {
    map(x, y, units, |x: u8| p.dequantize(x));
}

/// [`Quant::dequantize`] of each element.
pub fn dequantize_i16(p: &Quant, x: impl Elements<i16>, y: impl Sink<f32>, units: Units) {
    map(x, y, units, |x: i16| p.dequantize(x));
}

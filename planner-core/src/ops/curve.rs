//! The logistic function and the hyperbolic tangent of i16.

use super::{Lower, Lowered, unary};
use crate::emit::{Struct, Value};
use crate::quant::Quant;

/// The call of `kernel`, of which `from` is the quantisation of the argument (`SigmoidPrepare`, `TanhPrepare`); scales
/// near 2^-12 are taken for that, and for `most` powers of two more.
pub(super) fn lower(lower: &mut Lower<'_>, kernel: &'static str, from: &Quant, most: i32) -> Lowered {
    let (multiplier, shift) = factor(from.scale(0), most);
    let params = curve(lower, multiplier, shift);
    unary::elementwise(lower, kernel, params)
}

/// The parameter structure `Curve`.
pub(super) fn curve(lower: &mut Lower<'_>, multiplier: i32, shift: i32) -> Struct {
    let table = lower.static_i16("sigmoid".into(), &table());
    let fields = vec![
        ("sigmoid", Value::Slice(table)),
        ("multiplier", Value::Int(multiplier.into())),
        ("shift", Value::Int(shift.into())),
    ];
    Struct { name: "Curve", fields }
}

/// `1 / (1 + exp(-i / 24)) - 1 / 2` with 16 fractional bits, each moved so that the middle between it and the next is
/// half as wrong; the last stands for 1 / 2 (`sigmoid_table_uint16`).
#[allow(clippy::cast_possible_truncation, reason = "in 0..=32767")]
fn table() -> Vec<i16> {
    let exact = |i: f64| 65536.0 / (1.0 + (-i / 24.0).exp()) - 32768.0;
    let value = |i: u16| {
        let i = f64::from(i);
        let error = exact(i + 0.5) - f64::midpoint(exact(i), exact(i + 1.0));
        (exact(i) + error / 2.0).round() as i16
    };
    (0..255).map(value).chain([i16::MAX]).collect()
}

/// From steps of `scale` to steps of 1 / 12288: a factor and a shift to the right.
#[allow(clippy::cast_possible_truncation, reason = "at most 15 bits, or as the reference truncates")]
fn factor(scale: f32, most: i32) -> (i32, i32) {
    // `CheckedLog2`
    let log = scale.ln() * (1.0 / 2f32.ln());
    let power = 12 + log.round() as i32;
    if (log - log.round()).abs() < 1e-3 && (0..=most).contains(&power) {
        return (3 << power, 0);
    }
    let (mut factor, mut shift) = (f64::from(scale) * 4096.0 * 3.0, 0);
    while factor <= 32767.0 / 2.0 && shift <= 30 {
        shift += 1;
        factor *= 2.0;
    }
    (factor as i32, shift)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_starts_at_a_half() {
        let table = super::table();
        assert_eq!(table[..5], [0, 683, 1365, 2045, 2725]);
        assert_eq!(table[254..], [32766, 32767]);
    }
}

//! Quantisation as written: `q(scale, zero_point)`, `q([scale, ..], axis = 0)`, scales from a file.

use super::integer::describe;
use super::{Lowering, count, suggest};
use crate::ast::{Call, Expr, ExprKind};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::dtype::DType;
use planner_core::quant::Quant;
use planner_core::shape::{MAX_RANK, Shape};
use planner_core::source::Src;
use std::ops::RangeInclusive;

/// The forms that `q` has.
const WANTED: &str = "`q(scale, zero_point)`, or `q([scale, ..], axis = n)` for one scale a channel";

/// What one scale is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Granularity {
    /// All elements.
    PerTensor,
    /// Those at one index of this dimension.
    PerChannel(usize),
}

impl Lowering<'_> {
    /// The quantisation that `call` writes of a tensor of `dtype` and, if known, `shape`.
    pub(super) fn quant(&mut self, call: &Call, dtype: DType, shape: Option<&Shape>) -> Option<Quant> {
        let error = |message: &str| Diagnostic::new(Kind::Quantization, call.src, message);
        let Some(range) = dtype.range() else {
            let error = error(&format!("{dtype} is not quantised"));
            let is_bias = matches!(dtype, DType::I32 | DType::I64);
            return self.fail(if is_bias {
                error.info("the scale of a bias follows from its operator")
            } else {
                error
            });
        };
        let granularity = self.granularity(call, shape);
        let (scale, zero) = match call.args.as_slice() {
            [scale] => (scale, None),
            [scale, zero] => (scale, Some(zero)),
            args => {
                let error = error("`q` takes a scale and a zero point").got(count(args.len(), "argument"));
                return self.fail(error.wanted(WANTED));
            }
        };
        let scales = self.scales(scale);
        let zeros = match zero {
            Some(zero) => self.zero_points(zero, &range).map(Some),
            None => Some(None),
        };
        let (granularity, scales, zeros) = (granularity?, scales?, zeros?);
        let quant = if let Granularity::PerChannel(axis) = granularity {
            let zeros = zeros.unwrap_or_else(|| vec![0; scales.len()]);
            if let Some(size) = shape.map(|shape| shape[axis]) {
                self.check_count(scales.len(), "scale", scale.src, axis, size)?;
                self.check_count(zeros.len(), "zero point", zero.unwrap_or(scale).src, axis, size)?;
            }
            Quant::new(scales, zeros, Some(axis))
        } else {
            match (scales.as_slice(), zeros.as_deref()) {
                (&[scale], Some(&[zero])) => Quant::per_tensor(scale, zero),
                ([_], None) if !matches!(scale.kind, ExprKind::List(_)) => {
                    return self.fail(error("the zero point is missing").wanted(WANTED));
                }
                _ => return self.fail(error("a list of scales needs an axis").wanted(WANTED)),
            }
        };
        match quant {
            Ok(quant) => Some(quant),
            Err(problem) => self.fail(error(&problem.to_string())),
        }
    }

    /// What `axis = n` says, or that it is left out. Nothing else can have a name.
    fn granularity(&mut self, call: &Call, shape: Option<&Shape>) -> Option<Granularity> {
        let mut granularity = Granularity::PerTensor;
        for (name, value) in &call.named {
            if name.name != "axis" {
                let error = Diagnostic::new(Kind::UnknownName, name.src, format!("`q` has no `{}`", name.name));
                return self.fail(suggest(error.wanted(WANTED), &name.name, ["axis"]));
            }
            if granularity != Granularity::PerTensor {
                return self.fail(Diagnostic::new(Kind::DuplicateName, name.src, "`axis` is given twice"));
            }
            let index = self.int(value, "an axis")?;
            let rank = shape.map_or(MAX_RANK, Shape::rank);
            let Some(axis) = usize::try_from(index).ok().filter(|axis| *axis < rank) else {
                let message = format!("axis {index} is out of range");
                let wanted = shape.map_or(String::new(), |shape| format!(" for shape {shape}"));
                let error = Diagnostic::new(Kind::Quantization, value.src, message);
                return self.fail(error.wanted(format!("0..{rank}{wanted}")));
            };
            granularity = Granularity::PerChannel(axis);
        }
        Some(granularity)
    }

    /// Checks that there is a `noun` for each index of dimension `axis`.
    fn check_count(&mut self, number: usize, noun: &str, src: Src, axis: usize, size: usize) -> Option<()> {
        if number == size {
            return Some(());
        }
        let message = format!("the number of {noun}s is not that of dimension {axis}");
        self.fail(Diagnostic::new(Kind::Quantization, src, message).got(count(number, noun)).wanted(size.to_string()))
    }

    fn scales(&mut self, expr: &Expr) -> Option<Vec<f32>> {
        match &expr.kind {
            ExprKind::List(items) => {
                let scales: Vec<Option<f32>> = items.iter().map(|item| self.scale(item)).collect();
                scales.into_iter().collect()
            }
            ExprKind::File { .. } => {
                let array = self.file_array(expr, DType::F32, "scales")?;
                let scales: Vec<f32> =
                    array.bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
                match scales.iter().position(|scale| !is_scale(*scale)) {
                    Some(index) => self.fail(
                        not_a_scale(expr.src, &scales[index].to_string()).info(format!("it is that of index {index}")),
                    ),
                    None => Some(scales),
                }
            }
            _ => self.scale(expr).map(|scale| vec![scale]),
        }
    }

    fn scale(&mut self, expr: &Expr) -> Option<f32> {
        let scale = self.number(expr, "a scale")?;
        if is_scale(scale) {
            return Some(scale);
        }
        let text = describe(expr);
        let error = not_a_scale(expr.src, &text);
        let is_zero =
            text.trim_start_matches('-').chars().take_while(|c| !matches!(c, 'e' | 'E')).all(|c| "0.".contains(c));
        self.fail(match scale {
            0.0 if !is_zero => error.info("it is too small for an f32"),
            f32::INFINITY => error.info("it is too large for an f32"),
            _ => error,
        })
    }

    /// The value of a number, an integer or with a fraction.
    pub(super) fn number(&mut self, expr: &Expr, role: &str) -> Option<f32> {
        match &expr.kind {
            ExprKind::Float(text) => text.parse().ok(),
            ExprKind::Negative(inner) => self.number(inner, role).map(|value| -value),
            #[allow(clippy::cast_precision_loss, reason = "an integer written where a number is meant")]
            ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Binary { .. } => {
                self.int(expr, role).map(|value| value as f32)
            }
            _ => self.fail(Diagnostic::new(Kind::Syntax, expr.src, format!("{role} is a number")).got(describe(expr))),
        }
    }

    fn zero_points(&mut self, expr: &Expr, range: &RangeInclusive<i32>) -> Option<Vec<i32>> {
        match &expr.kind {
            ExprKind::List(items) => {
                let zeros: Vec<Option<i32>> = items.iter().map(|item| self.zero_point(item, range)).collect();
                zeros.into_iter().collect()
            }
            ExprKind::File { .. } => {
                let array = self.file_array(expr, DType::I32, "zero points")?;
                let zeros: Vec<i32> =
                    array.bytes.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
                match zeros.iter().find(|zero| !range.contains(*zero)) {
                    Some(zero) => self.fail(not_a_zero_point(expr.src, i64::from(*zero), range)),
                    None => Some(zeros),
                }
            }
            _ => self.zero_point(expr, range).map(|zero| vec![zero]),
        }
    }

    fn zero_point(&mut self, expr: &Expr, range: &RangeInclusive<i32>) -> Option<i32> {
        let value = self.int(expr, "a zero point")?;
        match i32::try_from(value).ok().filter(|zero| range.contains(zero)) {
            Some(zero) => Some(zero),
            None => self.fail(not_a_zero_point(expr.src, value, range)),
        }
    }
}

fn is_scale(scale: f32) -> bool {
    scale.is_finite() && scale > 0.0
}

fn not_a_scale(src: Src, got: &str) -> Diagnostic {
    Diagnostic::new(Kind::Quantization, src, "a scale is a positive number").got(got)
}

fn not_a_zero_point(src: Src, got: i64, range: &RangeInclusive<i32>) -> Diagnostic {
    let message = format!("a zero point lies in {}..={}", range.start(), range.end());
    Diagnostic::new(Kind::Quantization, src, message).got(got.to_string())
}

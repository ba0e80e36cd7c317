//! Types of the file's tensors, as ours.

use super::constant::Constant;
use super::schema::{ElementType, Quantization, Tensor};
use crate::dtype::DType;
use crate::model::TensorType;
use crate::quant::Quant;
use crate::shape::Shape;
use std::fmt;

/// Why a tensor cannot have the type that the file gives it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unrepresentable {
    /// What is wrong, to follow the tensor's name.
    pub(super) why: String,
    /// What would work.
    pub(super) help: Option<&'static str>,
}

impl Unrepresentable {
    fn new(why: impl Into<String>, help: Option<&'static str>) -> Self {
        Self { why: why.into(), help }
    }
}

/// Our type of `tensor` with the shape `dims`.
pub(super) fn tensor_type(tensor: &Tensor<'_>, dims: &[i32]) -> Result<TensorType, Unrepresentable> {
    let dtype = dtype(tensor.element)?;
    if dtype == DType::I64 {
        return Err(Unrepresentable::new("is i64, which only constants can be", Some("convert the model with int32")));
    }
    Ok(TensorType { dtype, shape: shape(dims)?, quant: quant(tensor.quantization.as_ref(), dtype, dims)? })
}

/// Our type of a constant.
pub(super) fn constant_type(
    constant: &Constant<'_>,
    quantization: Option<&Quantization>,
) -> Result<TensorType, Unrepresentable> {
    let dtype = dtype(constant.element)?;
    let dims: Vec<i32> = constant.dims.iter().map(|&dim| i32::try_from(dim).unwrap_or(i32::MAX)).collect();
    // A bias derives its scale.
    let quantization = quantization.filter(|_| dtype != DType::I32);
    Ok(TensorType { dtype, shape: shape(&dims)?, quant: quant(quantization, dtype, &dims)? })
}

/// Our element type.
pub(super) fn dtype(element: ElementType) -> Result<DType, Unrepresentable> {
    match element {
        ElementType::F32 => Ok(DType::F32),
        ElementType::I8 => Ok(DType::I8),
        ElementType::I32 => Ok(DType::I32),
        ElementType::I16 => Ok(DType::I16),
        ElementType::U8 => Ok(DType::U8),
        ElementType::I64 => Ok(DType::I64),
        ElementType::Bool => Ok(DType::Bool),
        ElementType::F16 => Err(Unrepresentable::new(
            "is f16 outside of a constant that is widened",
            Some("convert the model with f32 activations"),
        )),
        ElementType::Resource | ElementType::Variant => {
            Err(Unrepresentable::new("is a handle of a variable, which only variables' operators can read", None))
        }
        other => Err(Unrepresentable::new(
            format!("is {other}, which is not supported"),
            Some("convert the model with types that `OPERATORS.md` lists"),
        )),
    }
}

/// The file's name of our element type.
pub(super) fn element(dtype: DType) -> ElementType {
    match dtype {
        DType::F32 => ElementType::F32,
        DType::I8 => ElementType::I8,
        DType::U8 => ElementType::U8,
        DType::I16 => ElementType::I16,
        DType::I32 => ElementType::I32,
        DType::I64 => ElementType::I64,
        DType::Bool => ElementType::Bool,
    }
}

/// `dims` if all are known and positive.
fn shape(dims: &[i32]) -> Result<Shape, Unrepresentable> {
    let sizes: Option<Vec<usize>> = dims.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let sizes = sizes.ok_or_else(|| Unrepresentable::new(format!("has no fixed shape: {dims:?}"), None))?;
    Shape::new(sizes).map_err(|e| Unrepresentable::new(format!("has the shape {dims:?}: {e}"), None))
}

/// Only integers that stand for reals keep theirs: a float has none.
fn quant(quantization: Option<&Quantization>, dtype: DType, dims: &[i32]) -> Result<Option<Quant>, Unrepresentable> {
    let Some(quantization) = quantization.filter(|_| dtype.range().is_some()) else { return Ok(None) };
    let error = |e: &dyn fmt::Display| Unrepresentable::new(format!("has a wrong quantisation: {e}"), None);
    let axis = match quantization.scales.len() {
        1 => None,
        count => {
            let axis = usize::try_from(quantization.axis)
                .ok()
                .filter(|&axis| dims.get(axis).is_some_and(|&dim| usize::try_from(dim) == Ok(count)));
            Some(axis.ok_or_else(|| error(&format!("{count} scales for dimension {} of {dims:?}", quantization.axis)))?)
        }
    };
    let zero_points = quantization.zero_points.iter().map(|&zero| i32::try_from(zero).unwrap_or(i32::MAX)).collect();
    Quant::new(quantization.scales.clone(), zero_points, axis)
        .and_then(|quant| quant.of(dtype))
        .map(Some)
        .map_err(|e| error(&e))
}

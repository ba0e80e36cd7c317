//! Types as written.

use super::{Lowering, suggest};
use crate::ast::{Expr, Type};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::dtype::DType;
use planner_core::model::{Declared, TensorType};
use planner_core::shape::{Shape, ShapeError};

/// Types that other systems have.
const FOREIGN: [&str; 8] = ["f64", "bf16", "i4", "u64", "u32", "u16", "usize", "isize"];

impl Lowering<'_> {
    /// What is written of a type, as far as it could be understood; true if that is all of it.
    pub(super) fn declared(&mut self, ty: &Type) -> (Declared, bool) {
        let dtype = self.dtype(ty);
        let shape = ty.dims.as_ref().map(|dims| self.shape(ty, dims));
        let quant = match (&ty.quant, dtype) {
            (Some(call), Some(dtype)) => Some(self.quant(call, dtype, shape.as_ref().and_then(Option::as_ref))),
            _ => None,
        };
        let whole = dtype.is_some() && shape != Some(None) && quant != Some(None);
        (Declared { dtype, shape: shape.flatten(), quant: quant.flatten(), src: ty.src }, whole)
    }

    /// As [`Lowering::declared`], of an input or param, whose type must be complete.
    pub(super) fn complete(&mut self, ty: &Type, what: &str) -> (Declared, Option<TensorType>) {
        let (declared, mut whole) = self.declared(ty);
        if ty.dims.is_none() {
            let message = format!("the type of {what} needs a shape");
            let wanted = format!("`{}[..]` with its dimensions", ty.dtype.name);
            self.report(Diagnostic::new(Kind::Rank, ty.src, message).wanted(wanted));
            whole = false;
        }
        let complete = match (whole, declared.dtype, &declared.shape) {
            (true, Some(dtype), Some(shape)) => {
                Some(TensorType { dtype, shape: shape.clone(), quant: declared.quant.clone() })
            }
            _ => None,
        };
        (declared, complete)
    }

    fn dtype(&mut self, ty: &Type) -> Option<DType> {
        let name = ty.dtype.name.as_str();
        if let Some(dtype) = DType::from_name(name) {
            return Some(dtype);
        }
        let error = |kind, message: String| Diagnostic::new(kind, ty.dtype.src, message);
        let names = DType::ALL.map(DType::name);
        let wanted = names.join(", ");
        self.fail(if name == "f16" {
            error(Kind::Unsupported, "tensors cannot be f16".into())
                .help("write f32: numbers that a file stores as f16 are converted")
        } else if FOREIGN.contains(&name) {
            error(Kind::Unsupported, format!("tensors cannot be {name}")).wanted(wanted)
        } else {
            suggest(error(Kind::UnknownName, format!("unknown element type `{name}`")).wanted(wanted), name, names)
        })
    }

    fn shape(&mut self, ty: &Type, dims: &[Expr]) -> Option<Shape> {
        let sizes: Vec<Option<usize>> = dims.iter().map(|dim| self.dimension(dim)).collect();
        let sizes: Vec<usize> = sizes.into_iter().collect::<Option<_>>()?;
        match Shape::new(sizes) {
            Ok(shape) => Some(shape),
            Err(ShapeError::Zero(index)) => self.fail(
                Diagnostic::new(Kind::Dimension, dims[index].src, format!("dimension {index} is zero"))
                    .wanted("a positive integer"),
            ),
            Err(error) => self.fail(Diagnostic::new(Kind::Dimension, ty.src, format!("the shape has {error}"))),
        }
    }

    fn dimension(&mut self, dim: &Expr) -> Option<usize> {
        let value = self.int(dim, "a dimension")?;
        match usize::try_from(value) {
            Ok(size) => Some(size),
            Err(_) => self.fail(
                Diagnostic::new(Kind::Dimension, dim.src, "a dimension is negative")
                    .got(value.to_string())
                    .wanted("a positive integer"),
            ),
        }
    }
}

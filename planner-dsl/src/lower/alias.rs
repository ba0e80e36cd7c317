//! A second name for a tensor, and what is written of its type there.

use super::Lowering;
use super::value::Target;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::model::{Declared, TensorId};
use planner_core::source::Src;

impl Lowering<'_> {
    /// The tensor `id`, which `target` gives another name.
    pub(super) fn alias(&mut self, id: TensorId, src: Src, target: Target) -> Option<TensorId> {
        let names = target.slots.len();
        let Ok([slot]) = <[_; 1]>::try_from(target.slots) else {
            return self.fail(Diagnostic::new(
                Kind::Arity,
                src,
                format!("one tensor cannot have {names} names at once"),
            ));
        };
        self.restrict(id, slot.declared).map(|()| id)
    }

    /// Adds what is written of the type of a tensor that already has one.
    pub(super) fn restrict(&mut self, id: TensorId, new: Declared) -> Option<()> {
        let tensor = &mut self.out.model.tensors[id.0];
        let old = &mut tensor.declared;
        let error = |kind, what: &str, got: String, wanted: String| {
            let message = format!("the {what} written here is not that of `{}`", tensor.name);
            Diagnostic::new(kind, new.src, message).got(got).wanted(wanted)
        };
        let conflict = match (&old.dtype, &new.dtype, &old.shape, &new.shape, &old.quant, &new.quant) {
            (Some(old), Some(new), ..) if old != new => {
                Some(error(Kind::DType, "element type", new.to_string(), old.to_string()))
            }
            (_, _, Some(old), Some(new), ..) if old != new => {
                Some(error(Kind::Shape, "shape", new.to_string(), old.to_string()))
            }
            (.., Some(old), Some(new)) if old != new => {
                Some(error(Kind::Quantization, "quantisation", new.to_string(), old.to_string()))
            }
            _ => None,
        };
        if let Some(conflict) = conflict {
            return self.fail(conflict);
        }
        let written = new.dtype.is_some();
        old.dtype = old.dtype.or(new.dtype);
        old.shape = old.shape.take().or(new.shape);
        old.quant = old.quant.take().or(new.quant);
        if written {
            old.src = new.src;
        }
        Some(())
    }
}

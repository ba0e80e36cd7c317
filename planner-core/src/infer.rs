//! Types of all tensors, and every defect of types at once.

use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::dtype::DType;
use crate::model::{Declared, Model, Origin, TensorType, TypedModel};
use crate::ops::Call;
use crate::source::Src;

const ONLY_PARAM: &str = "only a parameter can be i64";

/// Infers the type of every tensor of `model`, whose declared types of inputs and params are complete.
///
/// # Errors
/// Every operator whose arguments do not fit. What depends on a defect is passed over in silence.
pub fn infer(model: Model) -> Result<TypedModel, Diagnostics> {
    let (types, found) = types(&model);
    found.barrier(())?;
    Ok(TypedModel { model, types: types.into_iter().flatten().collect() })
}

/// The types that can be inferred of the tensors of `model`, which may be incomplete, and what is wrong.
#[must_use]
pub fn types(model: &Model) -> (Vec<Option<TensorType>>, Diagnostics) {
    let mut found = Diagnostics::default();
    let mut types: Vec<Option<TensorType>> = model
        .tensors
        .iter()
        .map(|tensor| match (tensor.origin, &tensor.declared) {
            (
                Origin::Input(_) | Origin::Param(_) | Origin::State(_),
                Declared { dtype: Some(dtype), shape: Some(shape), quant, .. },
            ) => Some(TensorType { dtype: *dtype, shape: shape.clone(), quant: quant.clone() }),
            _ => None,
        })
        .collect();
    let inputs = model.inputs.iter().map(|input| input.tensor);
    for tensor in inputs.chain(model.states.iter().map(|state| state.tensor)) {
        let tensor = model.tensor(tensor);
        if tensor.declared.dtype == Some(DType::I64) {
            found.push(Diagnostic::new(Kind::DType, tensor.declared.src, ONLY_PARAM).wanted("i32"));
        }
    }
    for node in &model.nodes {
        if node.args.iter().flatten().any(|id| types[id.0].is_none()) {
            continue;
        }
        let call = Call { model, node, types: &types };
        match call.check_roles().and_then(|()| node.op.infer(&call)).and_then(|results| storable(&call, results)) {
            Ok(results) => {
                for (&id, ty) in node.results.iter().zip(results) {
                    match agrees(&model.tensor(id).declared, &ty) {
                        Ok(()) => types[id.0] = Some(ty),
                        Err(diagnostic) => found.push(node.labelled(diagnostic)),
                    }
                }
            }
            Err(diagnostic) => found.push(node.labelled(diagnostic)),
        }
    }
    for state in &model.states {
        if let (Some(ty), Some(next)) = (&types[state.tensor.0], &types[state.next.0])
            && let Err(diagnostic) = becomes(&model.tensor(state.tensor).name, ty, next, state.src)
        {
            found.push(diagnostic);
        }
    }
    found.0.dedup();
    (types, found)
}

/// Refuses results of a type that only parameters have.
fn storable(call: &Call<'_>, results: Vec<TensorType>) -> Result<Vec<TensorType>, Diagnostic> {
    match results.iter().find(|ty| ty.dtype == DType::I64) {
        Some(ty) => Err(call.error(Kind::DType, ONLY_PARAM).got(ty.to_string()).wanted("i32")),
        None => Ok(results),
    }
}

/// Compares the type of a state with that of the value it is given.
fn becomes(name: &str, ty: &TensorType, next: &TensorType, src: Src) -> Result<(), Diagnostic> {
    let (kind, what) = match (ty.dtype == next.dtype, ty.shape == next.shape) {
        (false, _) => (Kind::DType, "element type"),
        (_, false) => (Kind::Shape, "shape"),
        _ if ty.quant != next.quant => (Kind::Quantization, "quantisation"),
        _ => return Ok(()),
    };
    let message = format!("the state `{name}` cannot take a value of another {what}");
    Err(Diagnostic::new(kind, src, message).got(next.to_string()).wanted(ty.to_string()))
}

/// Compares what the user wrote of a type with what it is.
fn agrees(declared: &Declared, ty: &TensorType) -> Result<(), Diagnostic> {
    let error = |kind, message: &str| {
        let mut wanted = ty.clone();
        wanted.quant = wanted.quant.filter(|_| declared.quant.is_some());
        let mut got = declared.dtype.map_or(String::new(), |dtype| dtype.to_string());
        got += &declared.shape.as_ref().map_or(String::new(), ToString::to_string);
        Diagnostic::new(kind, declared.src, message).got(got).wanted(wanted.to_string())
    };
    if declared.dtype.is_some_and(|dtype| dtype != ty.dtype) {
        return Err(error(Kind::DType, "the element type written here is not that of the expression"));
    }
    if declared.shape.as_ref().is_some_and(|shape| *shape != ty.shape) {
        return Err(error(Kind::Shape, "the shape written here is not that of the expression"));
    }
    if declared.quant.is_some() && declared.quant != ty.quant {
        return Err(error(Kind::Quantization, "the quantisation written here is not that of the expression"));
    }
    Ok(())
}

//! `tile`: a tensor many times.

use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Tile;

static SIGNATURE: Signature = Signature {
    name: "tile",
    doc: "A tensor many times, one beside the other.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec {
        name: "repeats",
        form: Form::Ints(1, 1 << 20),
        default: None,
        doc: "how many times, for each dimension",
    }],
    results: Results::One,
};

impl Operator for Tile {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let (x, repeats) = (call.arg(0), repeats(call));
        if repeats.len() != x.shape.rank() {
            return Err(call
                .attr_error(Kind::Attribute, "repeats", format!("`repeats` has {} numbers", repeats.len()))
                .got(format!("{repeats:?} for {x}"))
                .wanted(format!("{} numbers, one a dimension", x.shape.rank())));
        }
        let dims: Vec<usize> = x.shape.iter().zip(&repeats).map(|(size, times)| size.saturating_mul(*times)).collect();
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let shape = &lower.arg(0).shape;
        let (mut dims, mut strides) = (Vec::new(), Vec::new());
        for ((&size, stride), times) in shape.iter().zip(copy::strides(shape)).zip(repeats(lower)) {
            dims.extend([times, size]);
            strides.extend([0, stride]);
        }
        Lowered::moving().cut(lower, 0, &copy::Block::gathered(dims, strides)).few(lower)
    }
}

fn repeats(call: &Call<'_>) -> Vec<usize> {
    call.ints("repeats").iter().map(|&times| usize::try_from(times).unwrap_or(1)).collect()
}

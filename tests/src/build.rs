//! Builds small models without a front end.

use planner_core::arch::Arch;
use planner_core::diagnostic::Diagnostics;
use planner_core::infer::infer;
use planner_core::model::{
    Data, Declared, Input, InputMode, Model, Origin, Output, Param, State, Tensor, TensorId, TensorType,
};
use planner_core::ops::{self, Argument, AttrValue, Results};
use planner_core::quant::Quant;
use planner_core::shape::Shape;
use planner_core::source::Src;
use planner_core::steps::{self, Program};
use planner_core::{dtype::DType, model::TypedModel};
use std::borrow::Cow;

/// A model under construction. Every definition, argument and attribute has a [`Src`] of its own.
#[derive(Debug, Default)]
pub struct Builder {
    /// What has been built so far.
    pub model: Model,
    srcs: u32,
}

impl Builder {
    /// An empty model.
    #[must_use]
    pub fn new() -> Self {
        Self { model: Model { name: "network".into(), ..Model::default() }, srcs: 1 }
    }

    fn src(&mut self) -> Src {
        self.srcs += 1;
        Src(self.srcs)
    }

    fn tensor(&mut self, name: &str, declared: Declared, origin: Origin) -> TensorId {
        let src = self.src();
        let may_be_unused = name.starts_with('_');
        self.model.tensors.push(Tensor { name: name.into(), src, declared, origin, may_be_unused });
        TensorId(self.model.tensors.len() - 1)
    }

    fn typed(&mut self, name: &str, ty: TensorType, origin: Origin) -> TensorId {
        let src = self.src();
        let declared = Declared { dtype: Some(ty.dtype), shape: Some(ty.shape), quant: ty.quant, src };
        self.tensor(name, declared, origin)
    }

    /// An input.
    pub fn input(&mut self, name: &str, ty: TensorType) -> TensorId {
        let tensor = self.typed(name, ty, Origin::Input(self.model.inputs.len()));
        self.model.inputs.push(Input { tensor, mode: InputMode::Plain });
        tensor
    }

    /// A parameter of little-endian bytes.
    pub fn param(&mut self, name: &str, ty: TensorType, bytes: Vec<u8>) -> TensorId {
        self.data(name, ty, Data::Bytes(bytes.into()))
    }

    /// A parameter whose values only the interpreter is given: external constant `index`.
    pub fn external(&mut self, name: &str, ty: TensorType, index: usize) -> TensorId {
        self.data(name, ty, Data::External(index))
    }

    fn data(&mut self, name: &str, ty: TensorType, data: Data) -> TensorId {
        let tensor = self.typed(name, ty, Origin::Param(self.model.params.len()));
        let src = self.src();
        self.model.params.push(Param { tensor, data, placeholder: false, src });
        tensor
    }

    /// A tensor kept between runs, with its elements before the first; [`assign`](Self::assign) it.
    pub fn state(&mut self, name: &str, ty: TensorType, bytes: Vec<u8>) -> TensorId {
        let tensor = self.typed(name, ty, Origin::State(self.model.states.len()));
        let src = self.src();
        self.model.states.push(State { tensor, data: Data::Bytes(bytes.into()), next: tensor, src });
        tensor
    }

    /// Makes `value` what `state` is in the next run.
    ///
    /// # Panics
    /// If it is no state.
    pub fn assign(&mut self, state: TensorId, value: TensorId) {
        let state = self.model.states.iter_mut().find(|known| known.tensor == state).expect("a state");
        state.next = value;
    }

    /// A parameter of f32.
    pub fn param_f32(&mut self, name: &str, dims: &[usize], values: &[f32]) -> TensorId {
        self.param(name, f32_type(dims), bytemuck::cast_slice(values).to_vec())
    }

    /// A parameter of i8.
    pub fn param_i8(&mut self, name: &str, dims: &[usize], quant: Quant, values: &[i8]) -> TensorId {
        self.param(name, i8_type(dims, quant), bytemuck::cast_slice(values).to_vec())
    }

    /// A parameter of i32 without quantisation.
    pub fn param_i32(&mut self, name: &str, dims: &[usize], values: &[i32]) -> TensorId {
        self.param(name, TensorType::plain(DType::I32, shape(dims)), bytemuck::cast_slice(values).to_vec())
    }

    /// The results of operator `op`, with the quantisation declared for them.
    ///
    /// # Errors
    /// What [`ops::bind`] finds.
    ///
    /// # Panics
    /// If there is no such operator.
    pub fn try_apply(
        &mut self,
        op: &str,
        args: &[TensorId],
        attrs: &[(&str, AttrValue)],
        quant: Option<&Quant>,
    ) -> Result<Vec<TensorId>, Diagnostics> {
        let op = ops::find(op).unwrap_or_else(|| panic!("no operator `{op}`"));
        let args: Vec<(TensorId, Src)> = args.iter().map(|id| (*id, self.src())).collect();
        let attrs: Vec<Argument> =
            attrs.iter().map(|(name, value)| ((*name).into(), self.src(), value.clone(), self.src())).collect();
        let mut node = ops::bind(op, self.src(), &args, &attrs)?;
        let results = op.signature().result_count(&node.attrs);
        let index = self.model.nodes.len();
        for result in 0..results {
            let name = format!("{}_{}", op.signature().name, self.model.tensors.len());
            let state = result > 0 && matches!(op.signature().results, Results::States(_));
            let quant = quant.filter(|_| !state).cloned();
            let declared = Declared { quant, src: self.src(), ..Declared::default() };
            node.results.push(self.tensor(&name, declared, Origin::Result { node: index, index: result }));
        }
        self.model.nodes.push(node.clone());
        Ok(node.results)
    }

    /// The only result of operator `op`.
    ///
    /// # Panics
    /// If there is no such operator or its arguments do not bind.
    pub fn apply(&mut self, op: &str, args: &[TensorId], attrs: &[(&str, AttrValue)]) -> TensorId {
        self.try_apply(op, args, attrs, None).unwrap_or_else(|found| panic!("{found}"))[0]
    }

    /// The only result of operator `op`, quantised as declared.
    ///
    /// # Panics
    /// As for [`Builder::apply`].
    pub fn apply_q(&mut self, op: &str, args: &[TensorId], attrs: &[(&str, AttrValue)], quant: Quant) -> TensorId {
        self.try_apply(op, args, attrs, Some(&quant)).unwrap_or_else(|found| panic!("{found}"))[0]
    }

    /// An output named as its tensor.
    pub fn output(&mut self, tensor: TensorId) {
        let name = self.model.tensor(tensor).name.clone();
        let src = self.src();
        self.model.outputs.push(Output { name, tensor, kept: false, src });
    }

    /// The model with its types.
    ///
    /// # Errors
    /// What inference finds.
    pub fn infer(self) -> Result<TypedModel, Diagnostics> {
        infer(self.model)
    }

    /// The model as steps.
    ///
    /// # Errors
    /// What inference and lowering find.
    pub fn lower(self) -> Result<Program, Diagnostics> {
        self.lower_for(Arch::Portable)
    }

    /// The model as steps for `arch`.
    ///
    /// # Errors
    /// As for [`Builder::lower`].
    pub fn lower_for(self, arch: Arch) -> Result<Program, Diagnostics> {
        steps::lower_for(&self.infer()?, arch)
    }
}

/// The shape of `dims`.
///
/// # Panics
/// If they are no shape.
#[must_use]
pub fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).expect("a shape")
}

/// `f32[dims]`.
#[must_use]
pub fn f32_type(dims: &[usize]) -> TensorType {
    TensorType::plain(DType::F32, shape(dims))
}

/// `dtype[dims]` quantised by `quant`.
#[must_use]
pub fn quantized(dtype: DType, dims: &[usize], quant: Quant) -> TensorType {
    TensorType { dtype, shape: shape(dims), quant: Some(quant) }
}

/// `i8[dims]` quantised by `quant`.
#[must_use]
pub fn i8_type(dims: &[usize], quant: Quant) -> TensorType {
    quantized(DType::I8, dims, quant)
}

/// `q(scale, zero_point)`.
///
/// # Panics
/// If that is no quantisation.
#[must_use]
pub fn q(scale: f32, zero_point: i32) -> Quant {
    Quant::per_tensor(scale, zero_point).expect("a quantisation")
}

/// An integer attribute.
#[must_use]
pub fn int(value: i64) -> AttrValue {
    AttrValue::Int(value)
}

/// A list attribute.
#[must_use]
pub fn ints(values: &[i64]) -> AttrValue {
    AttrValue::Ints(Cow::Owned(values.to_vec()))
}

/// A number attribute.
#[must_use]
pub fn float(value: f32) -> AttrValue {
    AttrValue::Float(value)
}

/// A truth attribute.
#[must_use]
pub fn flag(value: bool) -> AttrValue {
    AttrValue::Bool(value)
}

/// A name attribute: `same`, `relu`.
#[must_use]
pub fn name(value: &'static str) -> AttrValue {
    AttrValue::Name(Cow::Borrowed(value))
}

//! An operator's view of one of its applications.

use super::{AttrValue, Role};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::model::{Declared, Model, Node, Param, TensorId, TensorType};
use crate::quant::Quant;
use crate::shape::{Shape, ShapeError};
use crate::source::Src;

/// One application of an operator, with the types known so far.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub(crate) model: &'a Model,
    pub(crate) node: &'a Node,
    pub(crate) types: &'a [Option<TensorType>],
}

impl<'a> Call<'a> {
    /// Number of arguments that are present.
    #[must_use]
    pub fn len(&self) -> usize {
        self.node.args.iter().flatten().count()
    }

    /// No argument is present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tensor in place `index`, if present.
    #[must_use]
    pub fn tensor(&self, index: usize) -> Option<TensorId> {
        self.node.args.get(index).copied().flatten()
    }

    /// The type of argument `index`, which must be present.
    ///
    /// # Panics
    /// If it is an optional argument that was left out, or there is no such place.
    #[must_use]
    pub fn arg(&self, index: usize) -> &'a TensorType {
        self.opt_arg(index).expect("a required argument is bound and typed")
    }

    /// The type of argument `index`, if present.
    #[must_use]
    pub fn opt_arg(&self, index: usize) -> Option<&'a TensorType> {
        self.tensor(index).and_then(|id| self.types[id.0].as_ref())
    }

    /// The types of all arguments present.
    pub fn args(&self) -> impl Iterator<Item = &'a TensorType> + '_ {
        (0..self.node.args.len()).filter_map(|i| self.opt_arg(i))
    }

    /// The parameter in place `index`, if that is one.
    #[must_use]
    pub fn param(&self, index: usize) -> Option<&'a Param> {
        self.model.param(self.tensor(index)?)
    }

    /// The type of result `index`; only once inferred.
    ///
    /// # Panics
    /// During inference.
    #[must_use]
    pub fn result(&self, index: usize) -> &'a TensorType {
        self.types[self.node.results[index].0].as_ref().expect("lowering follows inference")
    }

    /// What the user wrote of the type of result `index`.
    #[must_use]
    pub fn declared(&self, index: usize) -> &'a Declared {
        &self.model.tensor(self.node.results[index]).declared
    }

    /// Number of results.
    #[must_use]
    pub fn results(&self) -> usize {
        self.node.results.len()
    }

    fn attr(&self, name: &str) -> &'a AttrValue {
        let index = self.node.op.signature().attr(name).expect("an operator reads its own attributes");
        &self.node.attrs[index]
    }

    /// The operator has an attribute `name`.
    #[must_use]
    pub fn has_attr(&self, name: &str) -> bool {
        self.node.op.signature().attr(name).is_some()
    }

    /// The integer attribute `name`.
    ///
    /// # Panics
    /// If the operator's signature has no such attribute.
    #[must_use]
    pub fn int(&self, name: &str) -> i64 {
        match self.attr(name) {
            AttrValue::Int(v) => *v,
            other => unreachable!("{name} = {other}"),
        }
    }

    /// The non-negative integer attribute `name`.
    #[must_use]
    pub fn size(&self, name: &str) -> usize {
        usize::try_from(self.int(name)).unwrap_or(0)
    }

    /// The list attribute `name`.
    #[must_use]
    pub fn ints(&self, name: &str) -> &'a [i64] {
        match self.attr(name) {
            AttrValue::Ints(v) => v,
            other => unreachable!("{name} = {other}"),
        }
    }

    /// The pair attribute `name`, `[y, x]`, of non-negative integers.
    #[must_use]
    pub fn pair(&self, name: &str) -> [usize; 2] {
        let list = self.ints(name);
        [list[0], list[1]].map(|v| usize::try_from(v).unwrap_or(0))
    }

    /// The number attribute `name`.
    #[must_use]
    pub fn float(&self, name: &str) -> f32 {
        match self.attr(name) {
            AttrValue::Float(v) => *v,
            other => unreachable!("{name} = {other}"),
        }
    }

    /// The truth attribute `name`.
    #[must_use]
    pub fn bool(&self, name: &str) -> bool {
        matches!(self.attr(name), AttrValue::Bool(true))
    }

    /// The attribute `name` if it was written as a name.
    #[must_use]
    pub fn name(&self, name: &str) -> Option<&'a str> {
        match self.attr(name) {
            AttrValue::Name(v) => Some(v),
            _ => None,
        }
    }

    /// The raw value of attribute `name`.
    #[must_use]
    pub fn value(&self, name: &str) -> &'a AttrValue {
        self.attr(name)
    }

    /// The attribute `name` of [`Form::Axes`](super::Form::Axes), as sorted indices into `rank` dimensions.
    ///
    /// # Errors
    /// An axis that is out of range or given twice.
    pub fn axes(&self, name: &str, rank: usize) -> Result<Vec<usize>, Diagnostic> {
        let mut axes = Vec::new();
        for &axis in self.ints(name) {
            let index = self.axis_index(name, axis, rank)?;
            if axes.contains(&index) {
                return Err(self.attr_error(Kind::Attribute, name, format!("axis {axis} is given twice")));
            }
            axes.push(index);
        }
        axes.sort_unstable();
        Ok(axes)
    }

    /// The attribute `name` of [`Form::Axis`](super::Form::Axis), as an index into `rank` dimensions.
    ///
    /// # Errors
    /// An axis that is out of range.
    pub fn axis(&self, name: &str, rank: usize) -> Result<usize, Diagnostic> {
        self.axis_index(name, self.int(name), rank)
    }

    fn axis_index(&self, name: &str, axis: i64, rank: usize) -> Result<usize, Diagnostic> {
        let signed = i64::try_from(rank).unwrap_or(0);
        let index = if axis < 0 { axis.saturating_add(signed) } else { axis };
        usize::try_from(index).ok().filter(|&index| index < rank).ok_or_else(|| {
            self.attr_error(Kind::Attribute, name, format!("axis {axis} is out of range"))
                .wanted(format!("{}..{rank} for {rank} dimensions", -signed))
        })
    }

    /// Where the operator's name stands.
    #[must_use]
    pub fn src(&self) -> Src {
        self.node.src
    }

    /// A defect of the whole call, at the operator's name.
    pub fn error(&self, kind: Kind, message: impl AsRef<str>) -> Diagnostic {
        Diagnostic::new(kind, self.node.src, format!("`{}`: {}", self.node.op.signature().name, message.as_ref()))
    }

    /// A defect of argument `index`, at that argument.
    pub fn arg_error(&self, kind: Kind, index: usize, message: impl AsRef<str>) -> Diagnostic {
        let mut d = self.error(kind, message);
        d.src = self.node.arg_srcs.get(index).copied().unwrap_or(self.node.src);
        d
    }

    /// A defect of attribute `name`, at its value.
    pub fn attr_error(&self, kind: Kind, name: &str, message: impl AsRef<str>) -> Diagnostic {
        let mut d = self.error(kind, message);
        if let Some(index) = self.node.op.signature().attr(name) {
            d.src = self.node.attr_srcs[index];
        }
        d
    }

    /// The name of argument place `index`.
    #[must_use]
    pub fn arg_name(&self, index: usize) -> &'static str {
        let args = self.node.op.signature().args;
        args.get(index).or(args.last()).map_or("", |arg| arg.name)
    }

    /// Checks that argument `index` has one of `ranks` dimensions.
    ///
    /// # Errors
    /// [`Kind::Rank`] otherwise.
    pub fn want_rank(&self, index: usize, ranks: &[usize]) -> Result<(), Diagnostic> {
        let ty = self.arg(index);
        if ranks.contains(&ty.shape.rank()) {
            return Ok(());
        }
        let wanted: Vec<String> = ranks.iter().map(ToString::to_string).collect();
        Err(self
            .arg_error(Kind::Rank, index, format!("`{}` has {} dimensions", self.arg_name(index), ty.shape.rank()))
            .got(ty.to_string())
            .wanted(format!("{} dimensions", wanted.join(" or "))))
    }

    /// Checks that argument `index` has one of `dtypes`.
    ///
    /// # Errors
    /// [`Kind::DType`] otherwise.
    pub fn want_dtype(&self, index: usize, dtypes: &[DType]) -> Result<DType, Diagnostic> {
        let ty = self.arg(index);
        if dtypes.contains(&ty.dtype) {
            return Ok(ty.dtype);
        }
        let wanted: Vec<&str> = dtypes.iter().map(|d| d.name()).collect();
        Err(self
            .arg_error(Kind::DType, index, format!("`{}` cannot be {}", self.arg_name(index), ty.dtype))
            .got(ty.to_string())
            .wanted(wanted.join(" or ")))
    }

    /// Checks that argument `index` has exactly `shape`.
    ///
    /// # Errors
    /// [`Kind::Shape`] otherwise.
    pub fn want_shape(&self, index: usize, shape: &[usize]) -> Result<(), Diagnostic> {
        let ty = self.arg(index);
        if &*ty.shape == shape {
            return Ok(());
        }
        Err(self
            .arg_error(Kind::Shape, index, format!("`{}` has the wrong shape", self.arg_name(index)))
            .got(ty.to_string())
            .wanted(format!("{}{shape:?}", ty.dtype)))
    }

    /// As [`Call::quant`]; the zero point of an i16 is 0.
    ///
    /// # Errors
    /// As there, or [`Kind::Quantization`] for an i16 with another zero point.
    pub fn symmetric_quant(&self, index: usize) -> Result<&'a Quant, Diagnostic> {
        let quant = self.quant(index)?;
        if self.arg(index).dtype == DType::I16 && quant.zero_point() != 0 {
            let message = format!("`{}` of i16 has a zero point other than 0", self.arg_name(index));
            let error = self.arg_error(Kind::Quantization, index, message).got(self.arg(index).to_string());
            return Err(error.wanted(format!("`q({}, 0)`", quant.scale(0))));
        }
        Ok(quant)
    }

    /// As [`Call::declared_quant`]; the zero point of an i16 is 0.
    ///
    /// # Errors
    /// As there, or [`Kind::Quantization`] for an i16 with another zero point.
    pub fn declared_symmetric_quant(&self, index: usize, dtype: DType) -> Result<Quant, Diagnostic> {
        let quant = self.declared_quant(index)?;
        if dtype == DType::I16 && quant.zero_point() != 0 {
            let error = self.declared_error(index, "a result of i16 has a zero point other than 0");
            return Err(error.got(quant.to_string()).wanted(format!("`q({}, 0)`", quant.scale(0))));
        }
        Ok(quant)
    }

    /// The per-tensor quantisation of an integer argument.
    ///
    /// # Errors
    /// [`Kind::Quantization`] if it has none or one per channel.
    pub fn quant(&self, index: usize) -> Result<&'a Quant, Diagnostic> {
        let ty = self.arg(index);
        match &ty.quant {
            Some(quant) if quant.axis().is_none() => Ok(quant),
            Some(_) => Err(self
                .arg_error(Kind::Quantization, index, format!("`{}` is quantised per channel", self.arg_name(index)))
                .got(ty.to_string())
                .wanted("one scale and zero point, `q(scale, zero_point)`")),
            None => Err(self
                .arg_error(Kind::Quantization, index, format!("`{}` has no quantisation", self.arg_name(index)))
                .got(ty.to_string())
                .help(format!("write its type with a scale and zero point: `{}[..] q(scale, zero_point)`", ty.dtype))),
        }
    }

    /// The quantisation that the user must declare for integer result `index`.
    ///
    /// # Errors
    /// [`Kind::Quantization`] if there is none, or one per channel.
    pub fn declared_quant(&self, index: usize) -> Result<Quant, Diagnostic> {
        match &self.declared(index).quant {
            Some(quant) if quant.axis().is_none() => Ok(quant.clone()),
            Some(_) => Err(self.declared_error(index, "a result is quantised per tensor")),
            None => Err(self.error(Kind::Quantization, "the result's scale and zero point are not known").help(
                "write `out = i8 q(scale, zero_point)` in the call, or `let name: i8 q(scale, zero_point) = ..`",
            )),
        }
    }

    /// The quantisation `fixed` for result `index`: a declared one must equal it.
    ///
    /// # Errors
    /// [`Kind::Quantization`] if it does not.
    pub fn fixed_quant(&self, index: usize, fixed: &Quant) -> Result<Quant, Diagnostic> {
        match &self.declared(index).quant {
            Some(quant) if quant != fixed => Err(self
                .declared_error(index, "this result's scale and zero point are not free")
                .got(quant.to_string())
                .wanted(fixed.to_string())),
            _ => Ok(fixed.clone()),
        }
    }

    /// As [`Call::fixed_quant`]; a declared scale that is off by a thousandth at most is kept, as `TFLite` keeps those
    /// of i16, which converters also write as a 65535th.
    ///
    /// # Errors
    /// As there.
    pub fn nearly_fixed_quant(&self, index: usize, fixed: &Quant) -> Result<Quant, Diagnostic> {
        let near = |quant: &&Quant| {
            quant.axis().is_none()
                && quant.zero_point() == fixed.zero_point()
                && (quant.scale(0) - fixed.scale(0)).abs() <= 0.001 * fixed.scale(0)
        };
        match self.declared(index).quant.as_ref().filter(near) {
            Some(quant) => Ok(quant.clone()),
            None => self.fixed_quant(index, fixed),
        }
    }

    fn declared_error(&self, index: usize, message: &str) -> Diagnostic {
        let mut d = self.error(Kind::Quantization, message);
        d.src = self.declared(index).src;
        d
    }

    /// A shape of `dims` as the result's.
    ///
    /// # Errors
    /// [`Kind::Dimension`] if it is none.
    pub fn shape(&self, dims: impl Into<Vec<usize>>) -> Result<Shape, Diagnostic> {
        Shape::new(dims).map_err(|e: ShapeError| {
            self.error(
                Kind::Dimension,
                format!(
                    "the result would have {}",
                    match e {
                        ShapeError::Zero(i) => format!("a dimension {i} of zero"),
                        other => other.to_string(),
                    }
                ),
            )
        })
    }

    /// Checks roles: a place that needs a parameter must hold one.
    pub(crate) fn check_roles(&self) -> Result<(), Diagnostic> {
        for (index, spec) in self.node.op.signature().args.iter().enumerate() {
            let needs_param = matches!(spec.role, Role::Param | Role::OptionalParam);
            if needs_param && self.tensor(index).is_some() && self.param(index).is_none() {
                return Err(self
                    .arg_error(Kind::Unsupported, index, format!("`{}` must be a parameter", spec.name))
                    .got("a tensor computed at run time")
                    .wanted("a `param`"));
            }
        }
        Ok(())
    }
}

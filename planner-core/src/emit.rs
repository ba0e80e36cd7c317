//! The code to generate, as data: statics, kernel calls and their parameters.
//!
//! Nothing here knows Rust's tokens: the macro prints it, the tests interpret it.

use crate::dtype::DType;

/// A constant array in flash, by index into [`Program::statics`](crate::steps::Program::statics).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StaticId(pub usize);

/// A constant array in flash.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// Its name in generated code, unique, lower case: `conv1_w`.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Number of elements.
    pub len: usize,
    /// Its elements.
    pub init: Init,
    /// A parameter of the network or derived from one, counted as weights; otherwise a table.
    pub weights: bool,
}

impl Static {
    /// Size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len * self.dtype.bytes()
    }
}

/// The elements of a [`Static`].
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// Little-endian.
    Bytes(Vec<u8>),
    /// [`Data::External`](crate::model::Data::External): the constant itself.
    External(usize),
    /// The result of a `const fn` of the runtime, for values that only the compiler can read.
    ConstFn {
        /// Its name in the runtime's kernels.
        function: &'static str,
        /// Its arguments.
        args: Vec<Value>,
    },
}

/// A value in a parameter structure.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer of whatever type the field has.
    Int(i64),
    /// A float.
    F32(f32),
    /// A truth value.
    Bool(bool),
    /// An array `[a, b, ..]`.
    Array(Vec<Value>),
    /// A reference to a static array as a slice.
    Slice(StaticId),
    /// The empty slice.
    Empty,
    /// A nested structure.
    Struct(Struct),
}

impl Value {
    /// An array of integers.
    pub fn ints<I: TryInto<i64>>(values: impl IntoIterator<Item = I>) -> Self {
        Self::Array(values.into_iter().map(|v| Self::Int(v.try_into().unwrap_or(i64::MAX))).collect())
    }

    /// A size or offset.
    #[must_use]
    pub fn size(value: usize) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

/// A parameter structure of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its name in the runtime's kernels.
    pub name: &'static str,
    /// Its fields, all of them.
    pub fields: Vec<(&'static str, Value)>,
}

/// A window that a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Argument of the step, by index into [`Step::reads`](crate::steps::Step::reads).
    Read(usize),
    /// Result of the step, by index into [`Step::writes`](crate::steps::Step::writes).
    Write(usize),
    /// The step's scratch.
    Scratch,
}

/// One call of a kernel: `kernel(&PARAMS, operands.., Units::forward(0..units))`, or backward.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The kernel's name in the runtime's kernels.
    pub kernel: &'static str,
    /// Its parameters, emitted as a static.
    pub params: Struct,
    /// Its windows, in the order of its signature.
    pub operands: Vec<Operand>,
    /// Number of output units (rows, elements) of the whole result.
    pub units: usize,
    /// The [`Sharing`](crate::steps::Sharing) of the step that makes this call needless when it is applied.
    pub elided_by: Option<usize>,
}

impl Call {
    /// The same call with its result in runs of `run` elements, `stride` elements from start to start;
    /// `None` if its kernel cannot leave gaps there. `run` is what the result has as one piece: the
    /// channels of a pixel, a row of pixels, a row of a dense layer.
    #[must_use]
    pub fn spread(&self, run: usize, stride: usize) -> Option<Self> {
        let mut call = self.clone();
        call.params.spread(run, stride)?;
        Some(call)
    }
}

impl Struct {
    fn field(&mut self, name: &str) -> Option<&mut Value> {
        self.fields.iter_mut().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    fn spread(&mut self, run: usize, stride: usize) -> Option<()> {
        if !["Slide", "Dense"].contains(&self.name) {
            let inner = |(_, value): &mut (&'static str, Value)| match value {
                Value::Struct(inner) => inner.spread(run, stride),
                _ => None,
            };
            return self.fields.iter_mut().find_map(inner);
        }
        let (run, stride) = (i64::try_from(run).ok()?, i64::try_from(stride).ok()?);
        let by_pixel = match self.field("pixel") {
            Some(Value::Int(pixel)) if *pixel == run => {
                *pixel = stride;
                true
            }
            _ => false,
        };
        let Some(Value::Struct(rows)) = self.field("to") else { return None };
        let Some(Value::Int(row)) = rows.field("stride") else { return None };
        if !by_pixel && *row != run {
            return None;
        }
        *row = *row / run * stride;
        Some(())
    }
}

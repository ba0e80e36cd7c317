//! Tensors whose elements tell where they come from.

use crate::build::{q, shape};
use crate::operator::{Application, Arg};
use crate::random::Random;
use planner_core::dtype::DType;
use planner_core::model::TensorType;
use planner_core::ops::AttrValue;

/// The types that a tensor may have.
const DTYPES: [DType; 6] = [DType::F32, DType::I8, DType::U8, DType::I16, DType::I32, DType::Bool];

/// A tensor of distinct elements, as far as their type has so many.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Its dimensions.
    pub dims: Vec<usize>,
    /// Its elements.
    pub values: Vec<i32>,
    /// Their type.
    pub dtype: DType,
}

impl Numbers {
    /// A tensor with a number of dimensions in `ranks`, each of up to `most`.
    #[must_use]
    pub fn new(random: &mut Random, ranks: [usize; 2], most: usize) -> Self {
        let dims: Vec<usize> = (0..random.size(ranks[0], ranks[1])).map(|_| random.size(1, most)).collect();
        Self::of(random, dims)
    }

    /// A tensor of `dims`.
    ///
    /// # Panics
    /// If that is more than an `i32` of elements.
    #[must_use]
    pub fn of(random: &mut Random, dims: Vec<usize>) -> Self {
        let dtype = random.pick(&DTYPES);
        let count = i32::try_from(dims.iter().product::<usize>()).expect("few elements");
        let values = (1..=count).map(|v| match dtype {
            DType::I8 => v % 251 - 125,
            DType::U8 => v % 251,
            DType::Bool => v % 2,
            _ => v,
        });
        Self { values: values.collect(), dims, dtype }
    }

    /// Its type.
    #[must_use]
    pub fn ty(&self) -> TensorType {
        let quant = self.dtype.range().map(|_| q(0.5, self.zero()));
        TensorType { dtype: self.dtype, shape: shape(&self.dims), quant }
    }

    /// The zero point.
    #[must_use]
    pub fn zero(&self) -> i32 {
        match self.dtype {
            DType::I8 => -3,
            DType::U8 => 131,
            DType::I16 => 257,
            _ => 0,
        }
    }

    /// The bytes of `values` as elements of this type.
    #[must_use]
    pub fn bytes(&self, values: &[i32]) -> Vec<u8> {
        #[allow(clippy::cast_precision_loss, reason = "small integers")]
        match self.dtype {
            DType::F32 => values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect(),
            dtype => values.iter().flat_map(|v| v.to_le_bytes().into_iter().take(dtype.bytes())).collect(),
        }
    }

    /// It as an argument, one in five times a parameter.
    pub fn arg(&self, random: &mut Random) -> Arg {
        let bytes = self.bytes(&self.values);
        if random.one_in(5) { Arg::Param(self.ty(), bytes) } else { Arg::Input(self.ty(), bytes) }
    }

    /// What `op` makes of this tensor is `want`.
    ///
    /// # Panics
    /// If it is not.
    pub fn check(&self, random: &mut Random, op: &'static str, attrs: &[(&'static str, AttrValue)], want: &[Vec<i32>]) {
        let args = [self.arg(random)];
        let got = Application { op, args: &args, attrs, quant: None }.run();
        let want: Vec<Vec<u8>> = want.iter().map(|values| self.bytes(values)).collect();
        assert_eq!(got, want, "{op} {attrs:?} of {}", self.ty());
    }
}

/// Sizes as an attribute has them.
///
/// # Panics
/// If one is beyond an `i64`.
#[must_use]
pub fn signed(sizes: &[usize]) -> Vec<i64> {
    sizes.iter().map(|&size| i64::try_from(size).expect("a size")).collect()
}

//! Element types.

use std::fmt;
use std::ops::RangeInclusive;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// IEEE 754 binary32.
    F32,
    /// 8-bit signed, quantised when it carries a [`Quant`](crate::quant::Quant).
    I8,
    /// 8-bit unsigned, quantised when it carries a [`Quant`](crate::quant::Quant).
    U8,
    /// 16-bit signed, quantised when it carries a [`Quant`](crate::quant::Quant).
    I16,
    /// 32-bit signed: biases and indices.
    I32,
    /// 64-bit signed: biases of i16 layers. Only parameters are.
    I64,
    /// A byte, 0 or 1; an `u8` in Rust.
    Bool,
}

impl DType {
    /// Every type, in the order of documentation.
    pub const ALL: [Self; 7] = [Self::F32, Self::I8, Self::U8, Self::I16, Self::I32, Self::I64, Self::Bool];

    /// The types of most operators' arguments that stand for reals by a scale and a zero point.
    pub const QUANTIZED: [Self; 3] = [Self::I8, Self::U8, Self::I16];

    /// The types that stand for reals in any way.
    pub const REAL: [Self; 4] = [Self::F32, Self::I8, Self::U8, Self::I16];

    /// The types that are numbers as they stand or stand for reals, but for i64.
    pub const NUMBERS: [Self; 5] = [Self::F32, Self::I8, Self::U8, Self::I16, Self::I32];

    /// Its elements stand for reals by a scale and a zero point, in most operators' arguments.
    #[must_use]
    pub const fn is_quantized(self) -> bool {
        matches!(self, Self::I8 | Self::U8 | Self::I16)
    }

    /// Bytes of one element; also the alignment its kernels need.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::I16 => 2,
            Self::I8 | Self::U8 | Self::Bool => 1,
        }
    }

    /// The name in the DSL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Bool => "bool",
        }
    }

    /// The name in Rust.
    #[must_use]
    pub const fn rust_name(self) -> &'static str {
        match self {
            Self::Bool => "u8",
            other => other.name(),
        }
    }

    /// The type called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// The integers of a type that can stand for reals.
    #[must_use]
    pub const fn range(self) -> Option<RangeInclusive<i32>> {
        match self {
            Self::I32 => Some(i32::MIN..=i32::MAX),
            Self::I8 => Some(-128..=127),
            Self::U8 => Some(0..=255),
            Self::I16 => Some(-32768..=32767),
            Self::F32 | Self::I64 | Self::Bool => None,
        }
    }
}

/// The first element of `bytes`, of a type that can stand for reals and has 16 bits at most.
pub(crate) fn integer(dtype: DType, bytes: &[u8]) -> i32 {
    match (dtype, bytes) {
        (DType::U8, [byte, ..]) => (*byte).into(),
        (DType::I16, [low, high, ..]) => i16::from_le_bytes([*low, *high]).into(),
        (_, [byte, ..]) => byte.cast_signed().into(),
        _ => 0,
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

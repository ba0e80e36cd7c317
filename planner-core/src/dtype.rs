//! Element types.

use std::fmt;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// IEEE 754 binary32.
    F32,
    /// 8-bit signed, quantised when it carries a [`Quant`](crate::quant::Quant).
    I8,
    /// 32-bit signed: biases and indices.
    I32,
}

impl DType {
    /// Every type, in the order of documentation.
    pub const ALL: [Self; 3] = [Self::F32, Self::I8, Self::I32];

    /// Bytes of one element; also the alignment its kernels need.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::F32 | Self::I32 => 4,
            Self::I8 => 1,
        }
    }

    /// The name in the DSL and in Rust.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I8 => "i8",
            Self::I32 => "i32",
        }
    }

    /// The type called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! The element types that a file can name.

use std::fmt;

/// The type of a tensor's elements, in the order of the schema's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementType {
    F32,
    F16,
    I32,
    U8,
    I64,
    Text,
    Bool,
    I16,
    Complex64,
    I8,
    F64,
    Complex128,
    U64,
    Resource,
    Variant,
    U32,
    U16,
    I4,
    Bf16,
    I2,
    U4,
}

impl ElementType {
    /// Every type; its index is its number.
    pub(crate) const ALL: [Self; 21] = [
        Self::F32,
        Self::F16,
        Self::I32,
        Self::U8,
        Self::I64,
        Self::Text,
        Self::Bool,
        Self::I16,
        Self::Complex64,
        Self::I8,
        Self::F64,
        Self::Complex128,
        Self::U64,
        Self::Resource,
        Self::Variant,
        Self::U32,
        Self::U16,
        Self::I4,
        Self::Bf16,
        Self::I2,
        Self::U4,
    ];

    /// The name in messages: Rust's where it has one.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::I32 => "i32",
            Self::U8 => "u8",
            Self::I64 => "i64",
            Self::Text => "string",
            Self::Bool => "bool",
            Self::I16 => "i16",
            Self::Complex64 => "complex64",
            Self::I8 => "i8",
            Self::F64 => "f64",
            Self::Complex128 => "complex128",
            Self::U64 => "u64",
            Self::Resource => "resource",
            Self::Variant => "variant",
            Self::U32 => "u32",
            Self::U16 => "u16",
            Self::I4 => "i4",
            Self::Bf16 => "bf16",
            Self::I2 => "i2",
            Self::U4 => "u4",
        }
    }

    /// Bytes of one element, for types that a constant may have here.
    pub(crate) fn bytes(self) -> Option<usize> {
        match self {
            Self::Bool | Self::I8 | Self::U8 => Some(1),
            Self::F16 | Self::I16 => Some(2),
            Self::F32 | Self::I32 => Some(4),
            Self::I64 => Some(8),
            _ => None,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

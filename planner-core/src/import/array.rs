//! An array in a file.

use super::half;
use crate::dtype::DType;
use std::borrow::Cow;
use std::fmt;

/// The type of an array's elements in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name, as in the language.
    pub name: &'static str,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Element {
    /// IEEE 754 binary16.
    pub const F16: Self = Self { name: "f16", bytes: 2 };

    /// Every type that a reader knows, by its name in safetensors and in .npy.
    pub(super) const ALL: [(&'static str, &'static str, Self); 13] = [
        ("BOOL", "b1", Self { name: "bool", bytes: 1 }),
        ("U8", "u1", Self { name: "u8", bytes: 1 }),
        ("I8", "i1", Self { name: "i8", bytes: 1 }),
        ("U16", "u2", Self { name: "u16", bytes: 2 }),
        ("I16", "i2", Self { name: "i16", bytes: 2 }),
        ("F16", "f2", Self::F16),
        ("BF16", "", Self { name: "bf16", bytes: 2 }),
        ("U32", "u4", Self { name: "u32", bytes: 4 }),
        ("I32", "i4", Self { name: "i32", bytes: 4 }),
        ("F32", "f4", Self { name: "f32", bytes: 4 }),
        ("U64", "u8", Self { name: "u64", bytes: 8 }),
        ("I64", "i8", Self { name: "i64", bytes: 8 }),
        ("F64", "f8", Self { name: "f64", bytes: 8 }),
    ];
}

/// A row-major, little-endian array whose length agrees with its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array<'a> {
    element: Element,
    shape: Vec<usize>,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// An array of `shape` over all of `bytes`.
    ///
    /// # Errors
    /// Another length.
    pub(super) fn new(element: Element, shape: Vec<usize>, bytes: &'a [u8]) -> Result<Self, ReadError> {
        let needed = shape.iter().try_fold(element.bytes, |product, &dim| product.checked_mul(dim));
        match needed {
            Some(needed) if needed == bytes.len() => Ok(Self { element, shape, bytes }),
            Some(needed) => Err(ReadError::Length { needed, got: bytes.len() }),
            None => Err(ReadError::Overflow),
        }
    }

    /// The type of its elements.
    #[must_use]
    pub fn element(&self) -> Element {
        self.element
    }

    /// Its dimensions, any of which may be zero.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its elements as those of `dtype`: the same type, or f32 from f16. `None` for any other pair.
    #[must_use]
    pub fn convert(&self, dtype: DType) -> Option<Cow<'a, [u8]>> {
        if self.element.name == dtype.name() {
            return Some(Cow::Borrowed(self.bytes));
        }
        if self.element != Element::F16 || dtype != DType::F32 {
            return None;
        }
        let halves = self.bytes.as_chunks::<2>().0.iter().map(|half| half::to_f32(u16::from_le_bytes(*half)));
        Some(halves.flat_map(f32::to_le_bytes).collect())
    }
}

impl fmt::Display for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.element.name, self.shape)
    }
}

/// Why bytes are no array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The file does not start as its format does.
    Magic(&'static str),
    /// A version of the format that this reader does not know.
    Version(u8, u8),
    /// The file ends inside its header.
    Truncated {
        /// Bytes that the header claims.
        needed: u64,
        /// Bytes that there are.
        got: usize,
    },
    /// The header does not parse.
    Header {
        /// Bytes from its start.
        at: usize,
        /// What should stand there.
        wanted: &'static str,
    },
    /// The data has another length than the shape and type say.
    Length {
        /// Bytes of the shape.
        needed: usize,
        /// Bytes that there are.
        got: usize,
    },
    /// The shape has more elements than memory has addresses.
    Overflow,
    /// Numbers stored with the highest byte first.
    BigEndian,
    /// An array stored with the first dimension innermost.
    ColumnMajor,
    /// An element type that this reader does not know.
    Element(String),
    /// The bytes of a tensor lie outside the file, inside another's, or leave a gap.
    Offsets {
        /// The tensor.
        key: String,
        /// What is wrong.
        problem: &'static str,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic(format) => write!(f, "the file is not in the {format} format"),
            Self::Version(major, minor) => write!(f, "version {major}.{minor} of the format is not known"),
            Self::Truncated { needed, got } => {
                write!(f, "the file is truncated: its header needs {needed} bytes, the file has {got}")
            }
            Self::Header { at, wanted } => write!(f, "the header is malformed: expected {wanted} at its byte {at}"),
            Self::Length { needed, got } => {
                let state = if needed > got { "truncated" } else { "too long" };
                write!(f, "the data is {state}: its type needs {needed} bytes, there are {got}")
            }
            Self::Overflow => f.write_str("the shape in the header is larger than any memory"),
            Self::BigEndian => f.write_str("the numbers are stored in big-endian order, only little-endian is read"),
            Self::ColumnMajor => {
                f.write_str("the array is stored in Fortran (column-major) order, only C order is read")
            }
            Self::Element(name) => write!(f, "the element type `{name}` cannot be read"),
            Self::Offsets { key, problem } => write!(f, "the data offsets of `{key}` {problem}"),
        }
    }
}

impl std::error::Error for ReadError {}

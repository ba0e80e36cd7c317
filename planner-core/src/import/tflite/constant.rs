//! Constant tensors as the file holds them, before any becomes a parameter.

use super::schema::{ElementType, Tensor};
use std::ops::Deref;
use std::sync::Arc;

/// Bytes that cost nothing to hand on.
#[derive(Clone, Debug)]
pub(super) enum Bytes<'a> {
    /// Of the file.
    File(&'a [u8]),
    /// Computed from it.
    Computed(Arc<[u8]>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::File(bytes) => bytes,
            Self::Computed(bytes) => bytes,
        }
    }
}

/// Number of elements of such dimensions. Beside one of zero the others may be of any size.
pub(super) fn size(dims: &[usize]) -> usize {
    dims.iter().fold(1, |size, &dim| size.saturating_mul(dim))
}

/// Elements that are known.
#[derive(Clone, Debug)]
pub(super) struct Constant<'a> {
    /// Type of the elements.
    pub(super) element: ElementType,
    /// Dimensions.
    pub(super) dims: Vec<usize>,
    /// Little-endian, row-major; as many as the dimensions say.
    pub(super) data: Bytes<'a>,
}

impl<'a> Constant<'a> {
    /// The elements of `tensor`, if the file holds them; an error says what is wrong with them.
    pub(super) fn read(tensor: &Tensor<'a>) -> Option<Result<Self, String>> {
        let dims: Option<Vec<usize>> = tensor.shape.iter().map(|&dim| usize::try_from(dim).ok()).collect();
        let elements = dims.as_ref().and_then(|dims| dims.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim)));
        if tensor.data.is_empty() && (elements != Some(0) || tensor.is_variable) {
            return None;
        }
        if tensor.is_sparse {
            return Some(Err("is stored in a sparse format, which is not supported".into()));
        }
        let bytes = elements.zip(tensor.element.bytes()).and_then(|(count, size)| count.checked_mul(size));
        let (Some(dims), Some(bytes)) = (dims, bytes) else {
            return Some(Err(format!("is a constant {}, which is not supported", tensor.element)));
        };
        if bytes != tensor.data.len() {
            return Some(Err(format!("has {} bytes, but its type needs {bytes}", tensor.data.len())));
        }
        Some(Ok(Self { element: tensor.element, dims, data: Bytes::File(tensor.data) }))
    }

    /// `values` as a constant of `element`, if it is an integer type that holds them.
    pub(super) fn from_ints(element: ElementType, dims: Vec<usize>, values: &[i64]) -> Option<Self> {
        let data: Option<Vec<u8>> = match element {
            ElementType::I64 => Some(values.iter().flat_map(|value| value.to_le_bytes()).collect()),
            ElementType::I32 => {
                let values: Result<Vec<i32>, _> = values.iter().map(|&value| i32::try_from(value)).collect();
                values.ok().map(|values| values.iter().flat_map(|value| value.to_le_bytes()).collect())
            }
            ElementType::I16 => {
                let values: Result<Vec<i16>, _> = values.iter().map(|&value| i16::try_from(value)).collect();
                values.ok().map(|values| values.iter().flat_map(|value| value.to_le_bytes()).collect())
            }
            _ => None,
        };
        Some(Self { element, dims, data: Bytes::Computed(data?.into()) })
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        size(&self.dims)
    }

    /// The elements as integers, if they are of an integer type.
    pub(super) fn ints(&self) -> Option<Vec<i64>> {
        let data = &*self.data;
        Some(match self.element {
            ElementType::I64 => data.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b)).collect(),
            ElementType::I32 => data.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b).into()).collect(),
            ElementType::I16 => data.as_chunks().0.iter().map(|b| i16::from_le_bytes(*b).into()).collect(),
            ElementType::I8 => data.iter().map(|b| b.cast_signed().into()).collect(),
            ElementType::U8 | ElementType::Bool => data.iter().map(|b| (*b).into()).collect(),
            _ => return None,
        })
    }

    /// The elements as floats, if they are f32.
    pub(super) fn floats(&self) -> Option<Vec<f32>> {
        let read = || self.data.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        (self.element == ElementType::F32).then(read)
    }
}

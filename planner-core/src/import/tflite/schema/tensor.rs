//! Tensors and their quantisation.

use super::{ElementType, Model, Unreadable};
use crate::import::tflite::flatbuffer::Table;

/// What keeping a tensor costs beyond its lists.
pub(super) const COST: usize = size_of::<Tensor<'_>>() + 64;

/// A tensor of a subgraph.
#[derive(Clone, Debug)]
pub(crate) struct Tensor<'a> {
    /// Its name, perhaps empty.
    pub(crate) name: &'a str,
    /// Type of its elements.
    pub(crate) element: ElementType,
    /// Dimensions, where unknown those that the converter assumed.
    pub(crate) shape: Vec<i32>,
    /// Dimensions again with -1 where unknown; empty if all are known.
    pub(crate) signature: Vec<i32>,
    /// Its elements if it is constant, else empty.
    pub(crate) data: &'a [u8],
    /// Quantisation.
    pub(crate) quantization: Option<Quantization>,
    /// It keeps its value between runs.
    pub(crate) is_variable: bool,
    /// Its elements are stored in a sparse format.
    pub(crate) is_sparse: bool,
}

/// One scale and zero point for the tensor or for each index of a dimension.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantization {
    pub(crate) scales: Vec<f32>,
    pub(crate) zero_points: Vec<i64>,
    /// The dimension, if there are several.
    pub(crate) axis: i32,
}

impl<'a> Tensor<'a> {
    pub(super) fn read(model: &Model<'a>, table: Table<'a>) -> Result<Self, Unreadable> {
        let (shape, signature) = (table.ints(0)?, table.ints(7)?);
        if !signature.is_empty() && signature.len() != shape.len() {
            return Err(Unreadable::new(format!("it has both {} and {} dimensions", shape.len(), signature.len())));
        }
        Ok(Self {
            shape,
            element: table.one_of(1, &ElementType::ALL)?,
            data: match table.index(2)? {
                0 => &[],
                index => model.buffer(index)?,
            },
            name: table.text(3)?.unwrap_or_default(),
            quantization: table.table(4)?.map(Quantization::read).transpose()?.flatten(),
            is_variable: table.bool(5)?,
            is_sparse: table.table(6)?.is_some(),
            signature,
        })
    }

    /// Dimensions as the file knows them, -1 where it does not.
    pub(crate) fn dims(&self) -> &[i32] {
        if self.signature.is_empty() { &self.shape } else { &self.signature }
    }
}

impl Quantization {
    /// What `stored` stands for, if it has one scale.
    #[allow(clippy::cast_precision_loss, reason = "integers that are quantised have few bits")]
    pub(crate) fn real(&self, stored: i64) -> Option<f32> {
        match (self.scales.as_slice(), self.zero_points.as_slice()) {
            ([scale], [zero]) => Some(scale * stored.saturating_sub(*zero) as f32),
            _ => None,
        }
    }

    /// `None` for a table that holds nothing or only the range of the values.
    fn read(table: Table<'_>) -> Result<Option<Self>, Unreadable> {
        if table.union(4)?.is_some() {
            return Err(Unreadable::new("its quantisation is of a custom kind, which is not supported"));
        }
        let scales: Vec<f32> = table.vector(2)?.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let zero_points: Vec<i64> = table.vector(3)?.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
        if scales.is_empty() {
            return Ok(None);
        }
        if scales.len() != zero_points.len() {
            let message = format!("it has {} scales but {} zero points", scales.len(), zero_points.len());
            return Err(Unreadable::new(message));
        }
        Ok(Some(Self { scales, zero_points, axis: table.i32(6, 0)? }))
    }
}

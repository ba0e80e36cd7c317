//! Sizes for dimensions that a file leaves open.

use crate::source::Src;
use std::collections::BTreeMap;

/// Sizes for dimensions that a file leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// The outermost dimension of every input that leaves it open; 1 if not given.
    pub batch: Option<Size>,
    /// Dimensions of inputs, by the input's name and the dimension's index.
    pub dimensions: BTreeMap<(String, usize), Size>,
}

/// The size of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many elements, at least 1.
    pub elements: usize,
    /// Where that is written.
    pub src: Src,
}

impl Bindings {
    /// The size of an open dimension of `input`, if anything says it.
    pub(crate) fn size(&self, input: &str, dimension: usize) -> Option<usize> {
        let named =
            self.dimensions.get(&(input.to_owned(), dimension)).or(self.batch.as_ref().filter(|_| dimension == 0));
        named.map(|size| size.elements).or_else(|| (dimension == 0).then_some(1))
    }
}

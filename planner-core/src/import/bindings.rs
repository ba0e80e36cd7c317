//! Sizes for dimensions that a file leaves open.

use std::collections::BTreeMap;

/// Sizes for dimensions that a file leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// The outermost dimension of every input that leaves it open; 1 if not given.
    pub batch: Option<usize>,
    /// Dimensions of inputs, by the input's name and the dimension's index.
    pub dimensions: BTreeMap<(String, usize), usize>,
}

impl Bindings {
    /// The size of an open dimension of `input`, if anything says it.
    pub(crate) fn size(&self, input: &str, dimension: usize) -> Option<usize> {
        let named = self.dimensions.get(&(input.to_owned(), dimension)).copied();
        named.or_else(|| (dimension == 0).then(|| self.batch.unwrap_or(1)))
    }
}

//! What is said of a file: sizes that it leaves open, and where the network begins and ends.

use super::Interface;
use crate::model::Declared;
use crate::source::Src;
use std::collections::BTreeMap;

/// What is said of a file: sizes for dimensions that it leaves open, and which inputs and outputs are integers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// The outermost dimension of every input that leaves it open; 1 if not given.
    pub batch: Option<Size>,
    /// Dimensions of inputs, by the input's name and the dimension's index.
    pub dimensions: BTreeMap<(String, usize), Size>,
    /// Inputs that the network takes as what the file's QUANTIZE makes of them, and where that is said.
    pub quantized_inputs: BTreeMap<String, Src>,
    /// Outputs that the network shows as what the file's DEQUANTIZE makes them of, and where that is said.
    pub quantized_outputs: BTreeMap<String, Src>,
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
    /// These, with every input and output of `shown` as integers.
    #[must_use]
    pub fn quantized(mut self, shown: &Interface, src: Src) -> Self {
        let said = |ports: &[(String, Declared)]| ports.iter().map(|(name, _)| (name.clone(), src)).collect();
        self.quantized_inputs = said(&shown.inputs);
        self.quantized_outputs = said(&shown.outputs);
        self
    }

    /// The size of an open dimension of `input`, if anything says it.
    pub(crate) fn size(&self, input: &str, dimension: usize) -> Option<usize> {
        let named =
            self.dimensions.get(&(input.to_owned(), dimension)).or(self.batch.as_ref().filter(|_| dimension == 0));
        named.map(|size| size.elements).or_else(|| (dimension == 0).then_some(1))
    }
}

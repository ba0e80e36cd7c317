//! What a network shows of itself, as far as a file tells, and which of its tensors are the file's.

use crate::model::Declared;

/// What a network shows of itself, as far as a file tells: the part that is known even if the rest cannot be imported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// Name and type of each input, in the order of the file.
    pub inputs: Vec<(String, Declared)>,
    /// Name and type of each output, in the order of the file.
    pub outputs: Vec<(String, Declared)>,
}

/// A tensor that an operator of a file computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileResult {
    /// Its index in the file.
    pub tensor: usize,
    /// The operator, as messages name it: `operator 12 CONV_2D version 3`.
    pub operator: String,
    /// What it is called in the network, if it is there.
    pub name: Option<String>,
}

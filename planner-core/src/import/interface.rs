//! What a network shows of itself, as far as a file tells.

use crate::model::Declared;

/// What a network shows of itself, as far as a file tells: the part that is known even if the rest cannot be imported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// Name and type of each input, in the order of the file.
    pub inputs: Vec<(String, Declared)>,
    /// Name and type of each output, in the order of the file.
    pub outputs: Vec<(String, Declared)>,
}

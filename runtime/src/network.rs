//! One face for all generated networks, for harnesses that work with any of them.

use crate::plan::Place;
use crate::{Observer, Plan};
use bytemuck::Pod;
use core::fmt;

/// A network: every generated `Arena` is one.
///
/// Elements pass as bytes in native order, in the order of declaration.
///
/// ```
/// use waterline::{Network, RunError};
/// waterline::graph! { mod net { input x: i8[4] q(0.5, 0); output y = reshape(x, shape = [2, 2]); } }
///
/// fn first_output(network: &mut dyn Network, inputs: &[&[u8]]) -> Result<Option<u8>, RunError> {
///     let outputs = network.run(inputs, &mut ())?;
///     Ok(outputs.get(0).and_then(|bytes| bytes.first().copied()))
/// }
/// assert_eq!(first_output(&mut net::Arena::new(), &[&[1, 2, 3, 4]]), Ok(Some(1)));
/// assert_eq!(first_output(&mut net::Arena::new(), &[]), Err(RunError::Count { got: 0, wanted: 1 }));
/// ```
pub trait Network {
    /// Its plan.
    fn plan(&self) -> &'static Plan;

    /// All bytes of the arena.
    fn arena(&mut self) -> &mut [u8];

    /// Makes the arena as good as new, states included.
    fn reset(&mut self);

    /// Copies in the inputs, except borrowed ones, and runs.
    ///
    /// # Errors
    /// A wrong number or size of inputs; a borrowed input that is not aligned for its type.
    fn run<'a>(&'a mut self, inputs: &'a [&'a [u8]], observer: &mut dyn Observer) -> Result<OutputBytes<'a>, RunError>;
}

/// Why [`Network::run`] did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The network has another number of inputs.
    Count {
        /// Inputs given.
        got: usize,
        /// Inputs of the network.
        wanted: usize,
    },
    /// An input has another size.
    Size {
        /// Index of the input.
        input: usize,
        /// Bytes given.
        got: usize,
        /// Bytes of the input.
        wanted: usize,
    },
    /// A borrowed input does not lie at a multiple of its element's size.
    Unaligned {
        /// Index of the input.
        input: usize,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { got, wanted } => write!(f, "got {got} inputs, wanted {wanted}"),
            Self::Size { input, got, wanted } => write!(f, "input {input}: got {got} bytes, wanted {wanted}"),
            Self::Unaligned { input } => write!(f, "input {input} is borrowed and not aligned for its type"),
        }
    }
}

impl core::error::Error for RunError {}

/// The outputs of a run as bytes.
#[derive(Clone, Copy, Debug)]
pub struct OutputBytes<'a> {
    plan: &'static Plan,
    arena: &'a [u8],
    inputs: &'a [&'a [u8]],
}

impl<'a> OutputBytes<'a> {
    /// Of a run that left `arena` behind.
    #[doc(hidden)]
    #[must_use]
    pub fn new(plan: &'static Plan, arena: &'a [u8], inputs: &'a [&'a [u8]]) -> Self {
        Self { plan, arena, inputs }
    }

    /// The bytes of output `index`; `None` if there is no such output.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        let tensor = self.plan.tensors.get(self.plan.outputs.get(index)?.tensor)?;
        match tensor.place {
            Place::Arena { offset } => self.arena.get(offset..offset.checked_add(tensor.size)?),
            Place::Borrowed { input, offset } => self.inputs.get(input)?.get(offset..offset.checked_add(tensor.size)?),
            Place::Constant { bytes } => Some(bytes),
        }
    }
}

/// Copies `bytes` into the slot of input `input`.
///
/// # Errors
/// Another size.
pub fn fill<T: Pod, const LEN: usize>(slot: &mut [T; LEN], input: usize, bytes: &[u8]) -> Result<(), RunError> {
    let slot = bytemuck::must_cast_slice_mut::<T, u8>(slot);
    if bytes.len() != slot.len() {
        return Err(RunError::Size { input, got: bytes.len(), wanted: slot.len() });
    }
    for (to, from) in slot.iter_mut().zip(bytes) {
        *to = *from;
    }
    Ok(())
}

/// `bytes` as the elements of borrowed input `input`.
///
/// # Errors
/// Another size, or no alignment.
pub fn borrow<T: Pod, const LEN: usize>(input: usize, bytes: &[u8]) -> Result<&[T; LEN], RunError> {
    if bytes.len() != size_of::<[T; LEN]>() {
        return Err(RunError::Size { input, got: bytes.len(), wanted: size_of::<[T; LEN]>() });
    }
    bytemuck::try_from_bytes(bytes).map_err(|_| RunError::Unaligned { input })
}

#[cfg(test)]
mod tests {
    use super::*;
    use static_assertions::{assert_impl_all, assert_obj_safe};

    // A harness holds networks and observers of any type.
    assert_obj_safe!(Network, Observer);
    // What `Box<dyn Error + Send + Sync>` and the like ask for.
    assert_impl_all!(RunError: core::error::Error, Send, Sync);
}

//! The kernels, a file an operator family, all written against one contract.
//!
//! ```text
//! kernel(params, windows.., units)
//! ```
//!
//! - `params`: a plain structure of numbers and `&'static` slices; everything
//!   that can be computed at compile time is in it.
//! - Windows in the order arguments, results, scratch. An argument is any
//!   [`Elements`]: cells of the arena, a constant in flash, or a borrowed
//!   input. A result is a slice of cells ([`Sink`]), so that it may overlap an
//!   argument as far as the kernel's access order allows.
//! - `units`: the range of output units (rows of an image, elements of a
//!   vector) to compute. Calls over parts give the same bits as one call.
//! - Access order: each kernel documents what it has read before each write.
//! - Images reach their rows through [`Rows`], so that a window may be a ring
//!   of rows instead of a whole image.
//!
//! Kernels never panic: what the planner proved is not checked again, and
//! indices outside a window read zero and write nothing.

pub mod copy;
pub mod elements;
pub mod fixed_point;
pub mod unary;

pub use copy::{Runs, copy_1, copy_4};
pub use elements::{Bytes, Elements, Rows, Sink};
pub use fixed_point::Requantize;
pub use unary::{Clamp, clamp_f32};

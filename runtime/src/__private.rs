//! What generated code names. No part of the public interface.

pub use crate::arena::{Region, Slot, WORD, bytes, bytes_mut, region, split};
pub use crate::kernels;
pub use crate::network::{borrow, fill};
pub use crate::prove::prove;
pub use bytemuck::{must_cast, must_cast_slice};
pub use planner_macros::graph_impl;

//! The planner of Waterline: plain data in, plain data out.
//!
//! Phases, each a module with an immutable result:
//! [`model`] → [`infer`] → `passes` → [`steps`] → `schedule` → `lifetimes` → `layout` → `plan`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod dtype;
pub mod emit;
pub mod fixed_point;
pub mod infer;
pub mod model;
pub mod ops;
pub mod plan;
pub mod quant;
pub mod shape;
pub mod source;
pub mod steps;

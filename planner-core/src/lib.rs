//! The planner of Waterline: plain data in, plain data out.
//!
//! Phases, each a module with an immutable result:
//! [`model`] → [`infer`] → [`passes`] → [`steps`] → `schedule` → `lifetimes` → `layout` → `plan`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod bounds;
pub mod check;
pub mod diagnostic;
pub mod dtype;
pub mod emit;
pub mod error_function;
pub mod events;
pub mod fixed_math;
pub mod fixed_point;
pub mod import;
pub mod infer;
pub mod layout;
pub mod lifetimes;
pub mod model;
pub mod ops;
pub mod passes;
pub mod plan;
pub mod quant;
pub mod report;
pub mod schedule;
pub mod shape;
pub mod sharing;
pub mod source;
pub mod state;
pub mod steps;
pub mod uses;

//! The planner of Waterline: plain data in, plain data out.
//!
//! Phases, each a module with an immutable result:
//! [`model`] → [`infer`] → [`passes`] → [`steps`] → [`schedule`] → [`sharing`] → [`lifetimes`] → [`layout`] →
//! [`verify`] → [`plan`].
//!
//! As a library of its own it plans any graph, from a `.tflite` file, from text, or from a [`Program`](steps::Program)
//! that you build:
//!
//! ```
//! use planner_core::import::graph;
//! use planner_core::options::Options;
//! use planner_core::plan::plan;
//!
//! let net = "image I 3072 - 0
//!            conv  N 8192 - 1 image
//!            relu  P 8192 - 1 conv
//!            pool  N 2048 - 1 relu
//!            class N 10   o 1 pool";
//! let plan = plan(graph::read(net)?, &Options::default())?;
//! assert_eq!((plan.arena_bytes, plan.lower_bound), (11_264, 11_264));
//! # Ok::<(), planner_core::diagnostic::Diagnostics>(())
//! ```
//!
//! [`layout::search`] solves allocation problems without a graph: sizes, lifetimes, alignment, gaps, places that are
//! given. [`import::csv`] reads and writes them.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod arch;
pub mod bounds;
pub mod check;
pub mod diagnostic;
pub mod distances;
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
pub mod options;
pub mod overlap;
pub mod passes;
pub mod plan;
pub mod planned;
pub mod quant;
pub mod report;
pub mod schedule;
pub mod shape;
pub mod sharing;
pub mod source;
pub mod state;
pub mod steps;
pub mod uses;
pub mod variants;
pub mod verify;

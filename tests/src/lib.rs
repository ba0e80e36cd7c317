//! Helpers shared by the tests.

pub mod build;
pub mod graphs;
pub mod integers;
pub mod interpreter;
pub mod numbers;
pub mod operator;
mod overlap;
mod params;
pub mod random;
pub mod reference;
pub mod table;
pub mod trace;
mod window;

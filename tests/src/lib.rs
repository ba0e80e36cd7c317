//! Helpers shared by the tests.

pub mod build;
pub mod interpreter;
mod params;
pub mod random;
mod window;

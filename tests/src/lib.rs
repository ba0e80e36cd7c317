//! Helpers shared by the tests.

pub mod build;
pub mod channels;
pub mod graphs;
pub mod integers;
pub mod interpreter;
pub mod layers;
pub mod machine;
pub mod numbers;
pub mod operator;
mod overlap;
mod params;
pub mod random;
pub mod reference;
pub mod table;
pub mod trace;
mod window;

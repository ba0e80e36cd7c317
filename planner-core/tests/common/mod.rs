//! What the tests of plans share.
#![allow(dead_code, reason = "each test uses its own part")]

pub mod machine;
pub mod programs;
pub mod random;

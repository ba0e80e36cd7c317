//! The networks of the examples as the firmware runs them, and on a board the
//! report of a run. The host builds this library too: its results are the
//! reference.
#![no_std]
#![forbid(unsafe_code)]

pub mod networks;
#[cfg(target_os = "none")]
pub mod report;
pub mod samples;
pub mod workload;

//! Fixed-shape neural networks as firmware.
#![no_std]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod kernels;

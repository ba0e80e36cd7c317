//! Is a person in the picture? The network comes from a model file.
#![no_std]
#![forbid(unsafe_code)]

pub mod network;
pub mod scenes;

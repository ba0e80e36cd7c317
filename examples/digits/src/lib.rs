//! The digits networks, for the host and for firmware.
#![no_std]
#![forbid(unsafe_code)]

pub mod images;
pub mod networks;

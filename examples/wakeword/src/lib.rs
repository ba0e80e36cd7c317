//! A wake word, heard a frame at a time.
#![no_std]
#![forbid(unsafe_code)]

pub mod network;
pub mod recording;

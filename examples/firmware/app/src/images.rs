//! The first images of the digits example's test set.

use digits::images::{Image, images};

const COUNT: usize = 8;

/// The images that each network classifies: a copy, so that the rest stays out of flash.
pub static IMAGES: [Image; COUNT] = *images().first_chunk().unwrap();

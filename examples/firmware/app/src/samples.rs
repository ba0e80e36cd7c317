//! The first samples of the examples: copies, so that the rest stays out of flash.

use digits::images::{Image, images};
use person::scenes::{Scene, scenes};

/// The images that the digits networks classify.
pub static IMAGES: [Image; 8] = *images().first_chunk().unwrap();

/// The scenes that are searched for a person.
pub static SCENES: [Scene; 4] = *scenes().first_chunk().unwrap();

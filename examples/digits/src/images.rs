//! The test images: the last 360 of scikit-learn's digits, which training has not seen.

/// Side of an image in pixels.
pub const SIDE: usize = 8;

/// An image, row by row, each pixel in 0..=16.
pub type Image = [u8; SIDE * SIDE];

const PIXELS: &[u8] = include_bytes!("../data/test_images.bin");
const LABELS: &[u8] = include_bytes!("../data/test_labels.bin");

/// The test images.
#[must_use]
pub const fn images() -> &'static [Image] {
    PIXELS.as_chunks().0
}

/// The digit that each test image shows.
#[must_use]
pub const fn labels() -> &'static [u8] {
    LABELS
}

/// A pixel as the f32 network takes it: 0 to 1.
#[must_use]
pub fn to_f32(pixel: u8) -> f32 {
    f32::from(pixel) / 16.0
}

/// A pixel as the int8 network takes it: `pixel / 16` at scale 1/255 and zero point -128, in whole numbers.
#[must_use]
pub fn to_i8(pixel: u8) -> i8 {
    let level = (u16::from(pixel) * 255 + 8) / 16;
    (level.min(255).to_le_bytes()[0] ^ 0x80).cast_signed()
}

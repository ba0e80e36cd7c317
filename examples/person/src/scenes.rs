//! Test scenes, which training has not seen, drawn by `train/scenes.py`.

/// Side of a scene in pixels.
pub const SIDE: usize = 48;

/// A scene, row by row, each pixel in 0..=255.
pub type Scene = [u8; SIDE * SIDE];

const PIXELS: &[u8] = include_bytes!("../data/scenes.bin");
const TRUTH: &[u8] = include_bytes!("../data/truth.bin");
const SCORES: &[u8] = include_bytes!("../data/scores.bin");

/// The scenes.
#[must_use]
pub const fn scenes() -> &'static [Scene] {
    PIXELS.as_chunks().0
}

/// For each scene 1 if a person is in it, else 0.
#[must_use]
pub const fn truth() -> &'static [u8] {
    TRUTH
}

/// What TensorFlow Lite Micro says of each scene, as bytes of `i8`: nobody, a person.
#[must_use]
pub const fn scores() -> &'static [[u8; 2]] {
    SCORES.as_chunks().0
}

/// A pixel as the network takes it.
#[must_use]
pub const fn to_i8(pixel: u8) -> i8 {
    (pixel ^ 0x80).cast_signed()
}

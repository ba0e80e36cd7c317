//! Ten seconds of synthetic speech in which the word "waterline" is said twice.

/// Bands of a frame.
pub const BANDS: usize = 16;

/// What is heard in 20 ms.
pub type Frame = [i8; BANDS];

const FRAMES: &[u8] = include_bytes!("../data/frames.bin");
const SCORES: &[u8] = include_bytes!("../data/scores.bin");

/// How many frames there are.
pub const COUNT: usize = FRAMES.len() / BANDS;

/// The frame at `index`; silence after the end.
#[must_use]
pub fn frame(index: usize) -> Frame {
    let (frames, _) = FRAMES.as_chunks::<BANDS>();
    frames.get(index).map_or([i8::MIN; BANDS], |frame| frame.map(u8::cast_signed))
}

/// What the network says of all frames when it hears them at once, from the first frame on that ends a whole second,
/// as bytes of `i8`.
#[must_use]
pub const fn scores() -> &'static [u8] {
    SCORES
}

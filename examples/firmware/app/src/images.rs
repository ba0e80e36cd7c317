//! The first images of the digits example's test set.

/// The pixels of an image, 8x8, values 0 to 16.
pub type Image = [u8; 64];

const COUNT: usize = 8;

/// The images that each network classifies.
pub static IMAGES: [Image; COUNT] = first(include_bytes!("../../../digits/data/test_images.bin"));

const fn first(file: &[u8]) -> [Image; COUNT] {
    let mut images = [[0; 64]; COUNT];
    let mut at = 0;
    while at < COUNT * 64 {
        images[at / 64][at % 64] = file[at];
        at += 1;
    }
    images
}

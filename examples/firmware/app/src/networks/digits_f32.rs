//! The digits in f32.

use crate::samples::IMAGES;
use crate::workload::workload;
use digits::images::to_f32;

workload! {
    /// The network with its arena.
    DigitsF32: "digits-f32", digits::networks::f32, [f32] by scores, IMAGES.len(), |frame, sample| {
        for (slot, &pixel) in frame.image().iter_mut().zip(IMAGES.get(sample).into_iter().flatten()) {
            *slot = to_f32(pixel);
        }
    }
}

//! The digits in int8.

use crate::samples::IMAGES;
use crate::workload::workload;
use digits::images::to_i8;

workload! {
    /// The network with its arena.
    DigitsInt8: "digits-int8", digits::networks::int8, [i8] by scores, IMAGES.len(), |frame, sample| {
        for (slot, &pixel) in frame.image().iter_mut().zip(IMAGES.get(sample).into_iter().flatten()) {
            *slot = to_i8(pixel);
        }
    }
}

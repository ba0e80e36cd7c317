//! A person in a picture.

use crate::samples::SCENES;
use crate::workload::workload;
use person::scenes::to_i8;

workload! {
    /// The network with its arena.
    Person: "person", person::network::detector, [i8] by output_0, SCENES.len(), |frame, sample| {
        for (slot, &pixel) in frame.image().iter_mut().zip(SCENES.get(sample).into_iter().flatten()) {
            *slot = to_i8(pixel);
        }
    }
}

//! The wake word, a frame at a time.

use crate::workload::workload;
use wakeword::recording;

workload! {
    /// The network with its arena.
    WakeWord: "wakeword", wakeword::network::wakeword, [i8] by heard, recording::COUNT, |frame, sample| *frame.frame() = recording::frame(sample)
}

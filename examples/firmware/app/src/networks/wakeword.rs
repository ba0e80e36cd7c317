//! The wake word, a frame at a time.

use crate::workload::Workload;
use static_cell::ConstStaticCell;
use wakeword::network::wakeword as network;
use wakeword::recording;

static ARENA: ConstStaticCell<network::Arena> = ConstStaticCell::new(network::Arena::new());

/// The network with its arena.
pub struct WakeWord(&'static mut network::Arena);

impl Workload for WakeWord {
    type Frame<'a> = network::Frame<'a>;
    type Element = i8;

    const NAME: &'static str = "wakeword";
    const ARENA_BYTES: usize = size_of::<network::Arena>();
    const IO_BYTES: usize = 0;
    const WEIGHT_BYTES: usize = network::WEIGHT_BYTES;
    const SAMPLES: usize = recording::COUNT;

    fn take() -> Option<Self> {
        // `take` would panic.
        ARENA.try_take().map(Self)
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn fill(&mut self, sample: usize) -> Self::Frame<'_> {
        let mut frame = self.0.frame();
        *frame.frame() = recording::frame(sample);
        frame
    }

    #[inline(never)]
    fn run(frame: Self::Frame<'_>) -> &[i8] {
        frame.run().heard()
    }

    #[inline(never)]
    fn run_by_steps(frame: Self::Frame<'_>) -> &[i8] {
        let mut stepper = frame.steps();
        while stepper.step().is_some() {}
        stepper.finish().heard()
    }
}

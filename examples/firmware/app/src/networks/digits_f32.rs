//! The digits in f32.

use crate::samples::IMAGES;
use crate::workload::Workload;
use digits::images::to_f32;
use digits::networks::f32 as network;
use static_cell::ConstStaticCell;

static ARENA: ConstStaticCell<network::Arena> = ConstStaticCell::new(network::Arena::new());

/// The network with its arena.
pub struct DigitsF32(&'static mut network::Arena);

impl Workload for DigitsF32 {
    type Frame<'a> = network::Frame<'a>;
    type Element = f32;

    const NAME: &'static str = "digits-f32";
    const ARENA_BYTES: usize = size_of::<network::Arena>();
    const IO_BYTES: usize = 0;
    const WEIGHT_BYTES: usize = network::WEIGHT_BYTES;
    const SAMPLES: usize = IMAGES.len();

    fn take() -> Option<Self> {
        // `take` would panic.
        ARENA.try_take().map(Self)
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn fill(&mut self, sample: usize) -> Self::Frame<'_> {
        let mut frame = self.0.frame();
        for (slot, &pixel) in frame.image().iter_mut().zip(IMAGES.get(sample).into_iter().flatten()) {
            *slot = to_f32(pixel);
        }
        frame
    }

    #[inline(never)]
    fn run(frame: Self::Frame<'_>) -> &[f32] {
        frame.run().scores()
    }

    #[inline(never)]
    fn run_by_steps(frame: Self::Frame<'_>) -> &[f32] {
        let mut stepper = frame.steps();
        while stepper.step().is_some() {}
        stepper.finish().scores()
    }
}

//! A person in a picture.

use crate::samples::SCENES;
use crate::workload::Workload;
use person::network::detector as network;
use person::scenes::to_i8;
use static_cell::ConstStaticCell;

static ARENA: ConstStaticCell<network::Arena> = ConstStaticCell::new(network::Arena::new());

/// The network with its arena.
pub struct Person(&'static mut network::Arena);

impl Workload for Person {
    type Frame<'a> = network::Frame<'a>;
    type Element = i8;

    const NAME: &'static str = "person";
    const ARENA_BYTES: usize = size_of::<network::Arena>();
    const IO_BYTES: usize = 0;
    const WEIGHT_BYTES: usize = network::WEIGHT_BYTES;
    const SAMPLES: usize = SCENES.len();

    fn take() -> Option<Self> {
        // `take` would panic.
        ARENA.try_take().map(Self)
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn fill(&mut self, sample: usize) -> Self::Frame<'_> {
        let mut frame = self.0.frame();
        for (slot, &pixel) in frame.image().iter_mut().zip(SCENES.get(sample).into_iter().flatten()) {
            *slot = to_i8(pixel);
        }
        frame
    }

    #[inline(never)]
    fn run(frame: Self::Frame<'_>) -> &[i8] {
        frame.run().output_0()
    }

    #[inline(never)]
    fn run_by_steps(frame: Self::Frame<'_>) -> &[i8] {
        let mut stepper = frame.steps();
        while stepper.step().is_some() {}
        stepper.finish().output_0()
    }
}

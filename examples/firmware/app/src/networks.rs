//! The networks of the firmware: those of the digits example, an arena each.

use crate::workload::Workload;
use digits::images::{Image, to_f32, to_i8};
use digits::networks::{f32 as plain, int8};
use static_cell::ConstStaticCell;

static PLAIN_ARENA: ConstStaticCell<plain::Arena> = ConstStaticCell::new(plain::Arena::new());
static INT8_ARENA: ConstStaticCell<int8::Arena> = ConstStaticCell::new(int8::Arena::new());

/// The f32 network.
pub struct DigitsF32(&'static mut plain::Arena);

impl Workload for DigitsF32 {
    type Frame<'a> = plain::Frame<'a>;
    type Element = f32;

    const NAME: &'static str = "digits-f32";
    const ARENA_BYTES: usize = size_of::<plain::Arena>();
    const IO_BYTES: usize = 0;
    const WEIGHT_BYTES: usize = plain::WEIGHT_BYTES;

    fn take() -> Option<Self> {
        // `take` would panic.
        PLAIN_ARENA.try_take().map(Self)
    }

    fn fill(&mut self, image: &Image) -> Self::Frame<'_> {
        let mut frame = self.0.frame();
        for (slot, &pixel) in frame.image().iter_mut().zip(image) {
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

/// The int8 network.
pub struct DigitsInt8(&'static mut int8::Arena);

impl Workload for DigitsInt8 {
    type Frame<'a> = int8::Frame<'a>;
    type Element = i8;

    const NAME: &'static str = "digits-int8";
    const ARENA_BYTES: usize = size_of::<int8::Arena>();
    const IO_BYTES: usize = 0;
    const WEIGHT_BYTES: usize = int8::WEIGHT_BYTES;

    fn take() -> Option<Self> {
        INT8_ARENA.try_take().map(Self)
    }

    fn fill(&mut self, image: &Image) -> Self::Frame<'_> {
        let mut frame = self.0.frame();
        for (slot, &pixel) in frame.image().iter_mut().zip(image) {
            *slot = to_i8(pixel);
        }
        frame
    }

    #[inline(never)]
    fn run(frame: Self::Frame<'_>) -> &[i8] {
        frame.run().scores()
    }

    #[inline(never)]
    fn run_by_steps(frame: Self::Frame<'_>) -> &[i8] {
        let mut stepper = frame.steps();
        while stepper.step().is_some() {}
        stepper.finish().scores()
    }
}

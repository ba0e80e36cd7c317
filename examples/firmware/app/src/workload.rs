//! What the report needs of a network.

/// A network with an arena of its own in a static.
pub trait Workload: Sized {
    /// The arena with its inputs filled.
    type Frame<'a>
    where
        Self: 'a;
    /// The output's elements.
    type Element: Element;

    /// The name in reports.
    const NAME: &'static str;
    /// The size of the arena's type.
    const ARENA_BYTES: usize;
    /// Bytes of inputs and outputs outside of the arena.
    const IO_BYTES: usize;
    /// Bytes of parameters in flash.
    const WEIGHT_BYTES: usize;
    /// How many samples there are. To a network with state they are a sequence.
    const SAMPLES: usize;

    /// The network with its arena; `None` when it was taken before.
    fn take() -> Option<Self>;

    /// Makes it as good as new.
    fn reset(&mut self);

    /// Writes the sample into its planned place.
    fn fill(&mut self, sample: usize) -> Self::Frame<'_>;

    /// Runs the network: this is what is counted. Never inlined, so that it
    /// stands in the program once.
    fn run(frame: Self::Frame<'_>) -> &[Self::Element];

    /// Runs it step by step.
    fn run_by_steps(frame: Self::Frame<'_>) -> &[Self::Element];
}

/// A number of an output.
pub trait Element: Copy {
    /// How the DSL calls it.
    const TYPE: &'static str;
    /// Hands its bytes, the lowest first, to `sink`.
    fn bytes(self, sink: impl FnMut(&[u8]));
}

impl Element for f32 {
    const TYPE: &'static str = "f32";
    fn bytes(self, mut sink: impl FnMut(&[u8])) {
        sink(&self.to_le_bytes());
    }
}

impl Element for i8 {
    const TYPE: &'static str = "i8";
    fn bytes(self, mut sink: impl FnMut(&[u8])) {
        sink(&self.to_le_bytes());
    }
}

/// Makes a type of a generated network: its arena in a static, its inputs filled by `fill` from a sample's number.
macro_rules! workload {
    (
        $(#[$doc:meta])*
        $name:ident: $text:literal, $($network:ident)::+, [$element:ty] by $output:ident, $samples:expr, $fill:expr
    ) => {
        $(#[$doc])*
        pub struct $name(&'static mut network::Arena);

        mod network {
            pub(super) use $($network)::+::*;
        }

        impl $crate::workload::Workload for $name {
            type Frame<'a> = network::Frame<'a>;
            type Element = $element;

            const NAME: &'static str = $text;
            const ARENA_BYTES: usize = size_of::<network::Arena>();
            const IO_BYTES: usize = 0;
            const WEIGHT_BYTES: usize = network::WEIGHT_BYTES;
            const SAMPLES: usize = $samples;

            fn take() -> Option<Self> {
                static ARENA: static_cell::ConstStaticCell<network::Arena> =
                    static_cell::ConstStaticCell::new(network::Arena::new());
                // `take` would panic.
                ARENA.try_take().map(Self)
            }

            fn reset(&mut self) {
                self.0.reset();
            }

            fn fill(&mut self, sample: usize) -> Self::Frame<'_> {
                let fill: fn(&mut network::Frame<'_>, usize) = $fill;
                let mut frame = self.0.frame();
                fill(&mut frame, sample);
                frame
            }

            #[inline(never)]
            fn run(frame: Self::Frame<'_>) -> &[$element] {
                frame.run().$output()
            }

            #[inline(never)]
            fn run_by_steps(frame: Self::Frame<'_>) -> &[$element] {
                let mut stepper = frame.steps();
                while stepper.step().is_some() {}
                stepper.finish().$output()
            }
        }
    };
}
pub(crate) use workload;

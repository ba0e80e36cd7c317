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

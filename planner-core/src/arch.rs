//! What kernels a machine has beyond the portable ones.

/// A kind of machine. The kernels of one kind may need weights in another layout and scratch of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arch {
    /// Any: kernels in Rust.
    #[default]
    Portable,
    /// Cortex-M with the DSP instructions: kernels in assembly.
    Dsp,
    /// Cortex-M with vectors (MVE, also called Helium): kernels in assembly.
    Mve,
}

impl Arch {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Dsp, Self::Mve];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Dsp => "dsp",
            Self::Mve => "mve",
        }
    }

    /// The kind with that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|arch| arch.name() == name)
    }
}

//! What kernels a machine has beyond the portable ones.

/// A kind of machine. The kernels of one kind may need weights in another layout and scratch of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arch {
    /// Any: kernels in Rust.
    #[default]
    Portable,
    /// ARMv7E-M with the DSP instructions, Cortex-M4 and M7: kernels in assembly.
    Dsp,
}

impl Arch {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Portable, Self::Dsp];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Dsp => "dsp",
        }
    }

    /// That of a target of the compiler, as `build.rs` of the runtime has it too.
    #[must_use]
    pub fn of_target(target: &str) -> Self {
        if target.starts_with("thumbv7em") { Self::Dsp } else { Self::Portable }
    }

    /// The kind with that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|arch| arch.name() == name)
    }
}

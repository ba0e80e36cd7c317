//! Numbers that look random and are the same on every machine.

/// A generator (`SplitMix64`); its numbers only vary a search, so their quality matters little.
#[derive(Clone, Debug)]
pub(super) struct Noise(u64);

impl Noise {
    /// The sequence of `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        u32::try_from((mixed >> 32) % u64::from(bound)).unwrap_or(0)
    }
}

//! Repeatable random numbers.

/// xorshift64*, seeded.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator for `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number in `lo..=hi`.
    pub fn int(&mut self, lo: i64, hi: i64) -> i64 {
        let span = u64::try_from(hi - lo).unwrap_or(0) + 1;
        lo + i64::try_from((self.bits() >> 16) % span).unwrap_or(0)
    }

    /// A size in `lo..=hi`.
    pub fn size(&mut self, lo: usize, hi: usize) -> usize {
        lo + usize::try_from((self.bits() >> 16) % (hi - lo + 1) as u64).unwrap_or(0)
    }

    /// One of `choices`.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.size(0, choices.len() - 1)]
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.size(1, n) == 1
    }

    /// A number in `lo..hi`, evenly spread.
    #[allow(clippy::cast_precision_loss, reason = "24 bits are exact")]
    pub fn f32(&mut self, lo: f32, hi: f32) -> f32 {
        lo + (hi - lo) * ((self.bits() >> 40) as f32 / 16_777_216.0)
    }

    /// A positive scale, spread over magnitudes between `lo` and `hi`.
    pub fn scale(&mut self, lo: f32, hi: f32) -> f32 {
        self.f32(lo.ln(), hi.ln()).exp()
    }

    /// `count` numbers in -1..1.
    pub fn f32s(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.f32(-1.0, 1.0)).collect()
    }

    /// `count` numbers over all of `i8`, its ends often.
    pub fn i8s(&mut self, count: usize) -> Vec<i8> {
        let mut next =
            || if self.one_in(16) { self.pick(&[-128, 127]) } else { self.bits().to_le_bytes()[3].cast_signed() };
        (0..count).map(|_| next()).collect()
    }
}

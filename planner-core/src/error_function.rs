//! The complement of the error function, for tables computed at compile time.

/// `erfc(x)`, to about 1e-15 of its value: a Taylor series about 0, a continued fraction beyond.
#[must_use]
pub fn erfc(x: f64) -> f64 {
    const SQRT_PI: f64 = 1.772_453_850_905_516;
    let magnitude = x.abs();
    let positive = if magnitude < 2.0 {
        // erf(x) = 2 / sqrt(pi) * exp(-x^2) * (x + 2 x^3 / 3 + 4 x^5 / 15 + ..)
        let (mut term, mut sum) = (magnitude, magnitude);
        for n in 1..80 {
            term *= 2.0 * magnitude * magnitude / f64::from(2 * n + 1);
            sum += term;
        }
        1.0 - 2.0 / SQRT_PI * (-magnitude * magnitude).exp() * sum
    } else {
        // exp(-x^2) / sqrt(pi) / (x + (1/2) / (x + (2/2) / (x + ..)))
        let fraction = (1..200).rev().fold(magnitude, |fraction, n| magnitude + f64::from(n) / 2.0 / fraction);
        (-magnitude * magnitude).exp() / SQRT_PI / fraction
    };
    if x < 0.0 { 2.0 - positive } else { positive }
}

#[cfg(test)]
mod tests {
    use super::erfc;

    #[test]
    fn values_are_those_of_tables() {
        let table = [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (1.999, 0.004_698_443_348_629_488),
            (2.0, 0.004_677_734_981_047_266),
            (3.5, 7.430_983_723_414_128e-7),
            (5.0, 1.537_459_794_428_035e-12),
            (-1.0, 1.842_700_792_949_714_8),
            (-4.0, 1.999_999_984_582_742),
        ];
        for (x, want) in table {
            assert!((erfc(x) / want - 1.0).abs() < 1e-12, "erfc({x}) = {}", erfc(x));
        }
    }
}

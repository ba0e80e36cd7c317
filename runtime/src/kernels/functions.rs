//! Functions of one f32. A unit is an element, read before it is written: all may work in place.

use super::unary::{Pure, map};
use super::{Elements, Sink, Units};

/// Declares the kernels, each with its function.
macro_rules! functions {
    ($($(#[$meta:meta])* $kernel:ident = $function:expr;)+) => {$(
        $(#[$meta])*
        pub fn $kernel(_: &Pure, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
            map(x, y, units, $function);
        }
    )+};
}

functions! {
    /// `x` without its sign.
    abs_f32 = f32::abs;
    /// `x * min(max(x + 3, 0), 6) / 6`.
    hard_swish_f32 = |x| x * least(largest(x + 3.0, 0.0), 6.0) / 6.0;
    /// `-x`.
    neg_f32 = |x: f32| -x;
    /// `x * x`.
    square_f32 = |x| x * x;

    /// The smallest integer that is not less.
    #[cfg(feature = "libm")]
    ceil_f32 = libm::ceilf;
    /// `cos(x)`.
    #[cfg(feature = "libm")]
    cos_f32 = libm::cosf;
    /// `x` where not negative, else `exp(x) - 1`.
    #[cfg(feature = "libm")]
    elu_f32 = |x| if x < 0.0 { libm::expm1f(x) } else { x };
    /// `exp(x)`.
    #[cfg(feature = "libm")]
    exp_f32 = libm::expf;
    /// The largest integer that is not more.
    #[cfg(feature = "libm")]
    floor_f32 = libm::floorf;
    /// `x` times the share of a normal distribution below it.
    #[cfg(feature = "libm")]
    gelu_f32 = |x| 0.5 * x * libm::erfcf(x * -core::f32::consts::FRAC_1_SQRT_2);
    /// [`gelu_f32`] approximated by `tanh`.
    #[cfg(feature = "libm")]
    gelu_tanh_f32 = |x| {
        const SQRT_2_PI: f32 = core::f32::consts::FRAC_2_SQRT_PI * core::f32::consts::FRAC_1_SQRT_2;
        0.5 * x * (1.0 + libm::tanhf(SQRT_2_PI * (x + 0.044_715 * x * x * x)))
    };
    /// The natural logarithm.
    #[cfg(feature = "libm")]
    log_f32 = libm::logf;
    /// The nearest integer, halves to the even one.
    #[cfg(feature = "libm")]
    round_f32 = libm::rintf;
    /// `1 / sqrt(x)`.
    #[cfg(feature = "libm")]
    rsqrt_f32 = |x| 1.0 / libm::sqrtf(x);
    /// `sin(x)`.
    #[cfg(feature = "libm")]
    sin_f32 = libm::sinf;
    /// `sqrt(x)`.
    #[cfg(feature = "libm")]
    sqrt_f32 = libm::sqrtf;
}

fn largest(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

//! Numbers of another type. A unit is an element, read before it is written.

use super::unary::{Pure, map};
use super::{Elements, Sink, Units};

/// Declares the kernels: from one type to another by `as`, which rounds floats to zero and saturates them.
macro_rules! casts {
    ($($kernel:ident: $from:ident as $to:ident;)+) => {$(
        #[doc = concat!("`", stringify!($from), "` as `", stringify!($to), "`.")]
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            clippy::cast_lossless,
            reason = "as C casts"
        )]
        pub fn $kernel(_: &Pure, x: impl Elements<$from>, y: impl Sink<$to>, units: Units) {
            map(x, y, units, |x| x as $to);
        }
    )+};
}

casts! {
    cast_i8_f32: i8 as f32;
    cast_u8_f32: u8 as f32;
    cast_i16_f32: i16 as f32;
    cast_i32_f32: i32 as f32;
    cast_i8_i32: i8 as i32;
    cast_u8_i32: u8 as i32;
    cast_i16_i32: i16 as i32;
    cast_f32_i32: f32 as i32;
    cast_f32_i8: f32 as i8;
    cast_f32_u8: f32 as u8;
    cast_f32_i16: f32 as i16;
    cast_i32_i8: i32 as i8;
    cast_i32_u8: i32 as u8;
    cast_i32_i16: i32 as i16;
}

/// Whether a number is not 0.
pub fn cast_f32_bool(_: &Pure, x: impl Elements<f32>, y: impl Sink<u8>, units: Units) {
    map(x, y, units, |x| u8::from(x != 0.0));
}

/// Whether a number is not 0.
pub fn cast_i32_bool(_: &Pure, x: impl Elements<i32>, y: impl Sink<u8>, units: Units) {
    map(x, y, units, |x| u8::from(x != 0));
}

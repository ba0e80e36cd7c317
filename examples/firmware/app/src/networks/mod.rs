//! The networks of the firmware: those of the examples, an arena each.

mod digits_f32;
mod digits_int8;
mod person;
mod wakeword;

pub use digits_f32::DigitsF32;
pub use digits_int8::DigitsInt8;
pub use person::Person;
pub use wakeword::WakeWord;

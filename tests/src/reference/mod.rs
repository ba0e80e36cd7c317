//! The operators as TensorFlow Lite defines them: slow, obvious, in f64 and i64.

pub mod activation;
pub mod arithmetic;
pub mod fixed_point;
pub mod function;
pub mod image;
pub mod interpolate;
pub mod layer;
pub mod movement;
pub mod recurrent;
pub mod reduce;
pub mod softmax;
pub mod types;

//! Fixed-shape neural networks as firmware.
#![no_std]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod arena;
mod guard;
pub mod kernels;
mod network;
mod observer;
pub mod plan;
mod prove;
mod quant;

#[doc(hidden)]
pub mod __private;

pub use guard::{Damage, Guard};
pub use network::{Network, OutputBytes, RunError};
pub use observer::Observer;
pub use plan::{Plan, Step};
pub use quant::Quant;

/// Compiles a network.
#[macro_export]
macro_rules! graph {
    ($($tokens:tt)*) => {
        $crate::__private::graph_impl! { ($crate) $($tokens)* }
    };
}

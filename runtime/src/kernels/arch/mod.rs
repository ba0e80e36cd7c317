//! The inner loops of packed layers and of sums, for each machine behind one interface.
//!
//! `portable` is the definition, in safe Rust; `dsp` are the same functions in assembly for cores with the DSP
//! instructions of ARMv7E-M, `fpu` adds those for f32 where there is a floating-point unit. `build.rs` chooses by the
//! target. Kernels that use them have a packed layout of their weights, which the planner makes where it plans for
//! such a machine, so other machines only come here when they run a plan that was made for another.

#[cfg(waterline_arch = "dsp")]
#[allow(unsafe_code, reason = "assembly")]
mod dsp;
#[cfg(all(waterline_arch = "dsp", target_abi = "eabihf"))]
#[allow(unsafe_code, reason = "assembly")]
mod fpu;
#[cfg(not(waterline_arch = "dsp"))]
mod portable;
#[cfg(waterline_arch = "riscv")]
#[allow(unsafe_code, reason = "assembly")]
mod riscv;
#[cfg(waterline_arch = "thumb")]
#[allow(unsafe_code, reason = "assembly")]
mod thumb;
mod window;
#[cfg(waterline_arch = "x86")]
#[allow(unsafe_code, reason = "vector instructions")]
mod x86;

#[cfg(waterline_arch = "dsp")]
pub(super) use dsp::{add, filter, multiply, multiply_pair, multiply_row, widen, widen_pair};
#[cfg(all(waterline_arch = "dsp", target_abi = "eabihf"))]
pub(super) use fpu::dot as dot_f32;
#[cfg(not(waterline_arch = "dsp"))]
pub(super) use portable::{add, filter, multiply, multiply_pair, multiply_row, widen, widen_pair};
#[cfg(waterline_arch = "riscv")]
pub(super) use riscv::dot_i8;
#[cfg(waterline_arch = "thumb")]
pub(super) use thumb::dot_i8;
pub use window::{Memory, MemoryMut};
#[cfg(waterline_arch = "x86")]
pub(super) use x86::{conv2d_i8, dense_i8, depthwise_conv2d_i8};

/// Pixels of a row whose taps lie alike.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// How many pixels.
    pub(super) pixels: usize,
    /// Elements from a pixel's taps to the next pixel's.
    pub(super) step: usize,
    /// Where the first result goes.
    pub(super) to: usize,
    /// Elements from a pixel's results to the next pixel's.
    pub(super) to_step: usize,
}

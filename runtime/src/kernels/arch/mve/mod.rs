//! Vectors of 16 bytes: Cortex-M55 and M85.
//!
//! Cycles of a Cortex-M55 (a vector instruction takes 2, a load beside a multiplication nothing, scattering and
//! gathering 1 an element): a block of four pixels by two channels 16 for 128 products (14 instructions), a block of a
//! row by four channels 8 and the load of the row for 64 products (9 instructions), a depthwise window of a block 2 to
//! 4 and 4 for its results' share of scaling (2 and 4 instructions), spreading of eight channels 10 (5 instructions),
//! four sums of two tensors 28 (14 instructions), the largest of 16 channels of a pixel 6 (5 instructions), sums of
//! eight as many.
//!
//! Functions in assembly end with vectors 4 to 7 as they were, as the convention of calls with floats has it.

/// Tells the assembler of functions without a frame what the target's name does not.
macro_rules! processor {
    () => {
        ".cpu cortex-m55"
    };
}

mod add;
mod copy;
mod mul;
mod multiply;
mod planes;
mod pool;
mod row;

pub(in crate::kernels) use add::add;
pub(in crate::kernels) use copy::{copy, fill_bytes};
pub(in crate::kernels) use mul::mul;
pub(in crate::kernels) use multiply::Multiply;
pub(in crate::kernels) use planes::{filter_planes, spread};
pub(in crate::kernels) use pool::{max_i8, max_u8, mean_i8, mean_u8, sum_i8, sum_u8};
pub(in crate::kernels) use row::dense_i8;

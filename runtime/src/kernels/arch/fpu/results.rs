//! From sums to results.

use crate::kernels::weights::WeightsF32;
use core::ptr::{null, null_mut};

/// What the assembly is given of the results of a pixel, in its order.
#[repr(C)]
pub(super) struct Results {
    zeros: [f32; 4],
    /// The bits of the bounds.
    bounds: [u32; 2],
    /// How many.
    count: usize,
    y: *mut u8,
    /// Null where there is none.
    bias: *const f32,
}

impl Results {
    /// Of `count` channels.
    #[inline(always)]
    pub(super) const fn new(layer: &WeightsF32<'_>, count: usize) -> Self {
        let bounds = [layer.result.min.to_bits(), layer.result.max.to_bits()];
        Self { zeros: [0.0; 4], bounds, count, y: null_mut(), bias: null() }
    }

    /// Those from the first on, at `y`.
    #[inline(always)]
    pub(super) const fn start(&mut self, layer: &WeightsF32<'_>, y: *mut u8) {
        self.y = y;
        self.bias = if layer.bias.is_empty() { null() } else { layer.bias.as_ptr() };
    }
}

/// `$sum` not below, or not above, s12: `$outside` says that it is.
macro_rules! bound {
    ($sum:literal, $outside:literal) => {
        concat!(
            "vcmp.f32 ",
            $sum,
            ", s12\n vmrs APSR_nzcv, fpscr\n it ",
            $outside,
            "\n vmov",
            $outside,
            ".f32 ",
            $sum,
            ", s12\n"
        )
    };
}

/// Sums with `$bias`, between the bounds of the results at r3, stored by `$store`. Infinite bounds are none.
macro_rules! finish {
    ([$($sum:literal),+], [$($bias:literal),+], $store:literal) => {
        concat!(
            "cmp r12, #0\n ite ne\n",
            $($bias, "\n",)+
            "ldr r1, [r3, #16]
             cmn r1, #0x00800000
             beq 21f
             vmov s12, r1\n",
            $(bound!($sum, "mi"),)+
            "21:
             ldr r1, [r3, #20]
             cmp r1, #0x7f800000
             beq 22f
             vmov s12, r1\n",
            $(bound!($sum, "gt"),)+
            "22:\n",
            $store
        )
    };
}

/// The results of the sums s0 to s3, with the bias at r12, at r11.
macro_rules! finish_four {
    () => {
        finish!(
            ["s0", "s1", "s2", "s3"],
            [
                "vldmiane r12!, {{s8-s11}}",
                "vldmiaeq r3, {{s8-s11}}",
                "vadd.f32 s0, s0, s8",
                "vadd.f32 s1, s1, s9",
                "vadd.f32 s2, s2, s10",
                "vadd.f32 s3, s3, s11"
            ],
            "vstmia r11!, {{s0-s3}}"
        )
    };
}

/// The result of the sum s0.
macro_rules! finish_one {
    () => {
        finish!(["s0"], ["vldmiane r12!, {{s8}}", "vldreq s8, [r3]", "vadd.f32 s0, s0, s8"], "vstmia r11!, {{s0}}")
    };
}

/// The results of all channels of the task at r3, whose sums `$four` computes for four of them at once and `$one` for
/// one.
macro_rules! all_results {
    ($four:expr, $one:expr $(,)?) => {
        concat!(
            "ldr r10, [r3, #24]
             ldr r11, [r3, #28]
             ldr r12, [r3, #32]
             subs r10, r10, #4
             blt 5f
             1:\n",
            $four,
            "\n",
            finish_four!(),
            "\n subs r10, r10, #4
             bge 1b
             5:
             adds r10, r10, #4
             beq 9f
             6:\n",
            $one,
            "\n",
            finish_one!(),
            "\n subs r10, r10, #1
             bne 6b
             9:"
        )
    };
}

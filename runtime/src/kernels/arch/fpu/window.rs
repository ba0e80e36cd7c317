//! All channels of a pixel from its window.

use crate::kernels::weights::WeightsF32;
use core::arch::naked_asm;
use core::ptr::null;

/// The rows of a window. Steps and sizes are in bytes, and wrap where they go down.
#[repr(C)]
pub(super) struct Rows {
    /// How many, at least one.
    pub(super) count: usize,
    /// Runs of neighbouring elements in a row, at least one.
    pub(super) runs: usize,
    /// Elements of a run.
    pub(super) run: usize,
    /// From the end of a run to the next.
    pub(super) run_gap: usize,
    /// From there, after the last run, to the next row.
    pub(super) gap: usize,
    /// From the end of a row's weights to those of the next.
    pub(super) filter_gap: usize,
    /// Where a ring of rows ends.
    pub(super) end: *const u8,
    /// How far from there it begins again.
    pub(super) size: usize,
}

/// What the assembly is given, in its order.
#[repr(C)]
pub(super) struct Task {
    zeros: [f32; 4],
    /// The first element.
    pub(super) x: *const f32,
    /// The first weight of the next channels.
    filters: *const f32,
    /// Bytes from a channel's weights to the next channel's.
    filter: usize,
    pub(super) rows: Rows,
    bounds: [f32; 2],
    /// Bit 0 and 1: there is a lower and an upper bound.
    bounded: u32,
    outputs: usize,
    pub(super) y: *mut f32,
    /// Null where there is none.
    bias: *const f32,
}

impl Task {
    /// Of `outputs` channels, each with as many weights as `filter`.
    #[inline(always)]
    pub(super) const fn new(layer: &WeightsF32<'_>, filter: usize, outputs: usize) -> Self {
        let rows = Rows { count: 1, runs: 1, run: 0, run_gap: 0, gap: 0, filter_gap: 0, end: null(), size: 0 };
        let [min, max] = [layer.result.min, layer.result.max];
        Self {
            zeros: [0.0; 4],
            x: null(),
            filters: null(),
            filter: super::bytes(filter),
            rows,
            bounds: [min, max],
            bounded: (min > f32::NEG_INFINITY) as u32 | ((max < f32::INFINITY) as u32) << 1,
            outputs,
            y: core::ptr::null_mut(),
            bias: null(),
        }
    }

    /// Points to the channels from `channel` on, from weight `at` of each on.
    #[inline(always)]
    pub(super) const fn start(&mut self, layer: &WeightsF32<'_>, channel: usize, at: usize) {
        let first = channel.wrapping_mul(self.filter).wrapping_add(super::bytes(at));
        self.filters = layer.weights.as_ptr().wrapping_byte_add(first);
        self.bias = if layer.bias.is_empty() { null() } else { layer.bias.as_ptr().wrapping_add(channel) };
    }
}

/// Sums over the window at r0, from sums of zero, with weights that the instructions `$weights` point to: `$four` adds
/// four products to each sum, `$one` one, `$next` steps over weights by r8. Labels from `$label` on.
macro_rules! sums {
    ($zero:literal, [$($weights:literal),+], [$($four:literal),+], [$($one:literal),+], [$($next:literal),+]) => {
        concat!(
            "ldr r4, [r3, #20]\n ldr r1, [r3, #24]\n",
            $($weights, "\n",)+
            "str r1, [r3, #20]
             ldr r0, [r3, #16]
             ldr r2, [r3, #28]\n",
            $zero, "
             12:
             ldr r9, [r3, #32]
             13:
             ldr r1, [r3, #36]
             subs r1, r1, #4
             blt 15f
             14:\n",
            $($four, "\n",)+
            "subs r1, r1, #4
             bge 14b
             15:
             adds r1, r1, #4
             beq 17f
             16:\n",
            $($one, "\n",)+
            "subs r1, r1, #1
             bne 16b
             17:
             add r0, r0, r7
             subs r9, r9, #1
             bne 13b
             subs r2, r2, #1
             beq 18f
             ldr r1, [r3, #44]
             add r0, r0, r1
             ldr r1, [r3, #52]
             cmp r0, r1
             itt hs
             ldrhs r1, [r3, #56]
             subhs r0, r0, r1\n",
            $($next, "\n",)+
            "b 12b
             18:"
        )
    };
}

/// `$sum` not below, or not above, s12: `$outside` says that it is.
macro_rules! bound {
    ($sum:literal, $outside:literal) => {
        concat!(
            "vcmp.f32 ",
            $sum,
            ", s12
             vmrs APSR_nzcv, fpscr
             it ",
            $outside,
            "
             vmov",
            $outside,
            ".f32 ",
            $sum,
            ", s12"
        )
    };
}

/// # Safety
/// What the task's pointers name can be read and written.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn run(task: *mut Task) {
    naked_asm!(
        // The assembler of functions without a frame does not know the target's.
        ".fpu fpv4-sp-d16",
        "push {{r4-r11, lr}}",
        "sub sp, sp, #4",
        "vpush {{s16-s23}}",
        "mov r3, r0",
        "ldr r7, [r3, #40]",
        "ldr r8, [r3, #48]",
        "ldr r10, [r3, #72]",
        "ldr r11, [r3, #76]",
        "ldr r12, [r3, #80]",
        "subs r10, r10, #4",
        "blt 5f",
        "1:",
        sums!(
            "vldmia r3, {{s0-s3}}",
            ["add r5, r4, r1", "add r6, r5, r1", "add lr, r6, r1", "add r1, lr, r1"],
            [
                "vldmia r0!, {{s4-s7}}",
                "vldmia r4!, {{s8-s11}}",
                "vldmia r5!, {{s12-s15}}",
                "vldmia r6!, {{s16-s19}}",
                "vldmia lr!, {{s20-s23}}",
                "vmla.f32 s0, s4, s8",
                "vmla.f32 s1, s4, s12",
                "vmla.f32 s2, s4, s16",
                "vmla.f32 s3, s4, s20",
                "vmla.f32 s0, s5, s9",
                "vmla.f32 s1, s5, s13",
                "vmla.f32 s2, s5, s17",
                "vmla.f32 s3, s5, s21",
                "vmla.f32 s0, s6, s10",
                "vmla.f32 s1, s6, s14",
                "vmla.f32 s2, s6, s18",
                "vmla.f32 s3, s6, s22",
                "vmla.f32 s0, s7, s11",
                "vmla.f32 s1, s7, s15",
                "vmla.f32 s2, s7, s19",
                "vmla.f32 s3, s7, s23"
            ],
            [
                "vldmia r0!, {{s4}}",
                "vldmia r4!, {{s8}}",
                "vldmia r5!, {{s12}}",
                "vldmia r6!, {{s16}}",
                "vldmia lr!, {{s20}}",
                "vmla.f32 s0, s4, s8",
                "vmla.f32 s1, s4, s12",
                "vmla.f32 s2, s4, s16",
                "vmla.f32 s3, s4, s20"
            ],
            ["add r4, r4, r8", "add r5, r5, r8", "add r6, r6, r8", "add lr, lr, r8"]
        ),
        "cmp r12, #0",
        "ite ne",
        "vldmiane r12!, {{s8-s11}}",
        "vldmiaeq r3, {{s8-s11}}",
        "vadd.f32 s0, s0, s8",
        "vadd.f32 s1, s1, s9",
        "vadd.f32 s2, s2, s10",
        "vadd.f32 s3, s3, s11",
        "ldr r1, [r3, #68]",
        "lsls r2, r1, #31",
        "bpl 2f",
        "vldr s12, [r3, #60]",
        bound!("s0", "mi"),
        bound!("s1", "mi"),
        bound!("s2", "mi"),
        bound!("s3", "mi"),
        "2:",
        "lsls r2, r1, #30",
        "bpl 3f",
        "vldr s12, [r3, #64]",
        bound!("s0", "gt"),
        bound!("s1", "gt"),
        bound!("s2", "gt"),
        bound!("s3", "gt"),
        "3:",
        "vstmia r11!, {{s0-s3}}",
        "subs r10, r10, #4",
        "bge 1b",
        "5:",
        "adds r10, r10, #4",
        "beq 9f",
        // One channel at a time.
        "6:",
        sums!(
            "vldr s0, [r3]",
            ["add r1, r4, r1"],
            [
                "vldmia r0!, {{s4-s7}}",
                "vldmia r4!, {{s8-s11}}",
                "vmla.f32 s0, s4, s8",
                "vmla.f32 s0, s5, s9",
                "vmla.f32 s0, s6, s10",
                "vmla.f32 s0, s7, s11"
            ],
            ["vldmia r0!, {{s4}}", "vldmia r4!, {{s8}}", "vmla.f32 s0, s4, s8"],
            ["add r4, r4, r8"]
        ),
        "cmp r12, #0",
        "ite ne",
        "vldmiane r12!, {{s8}}",
        "vldreq s8, [r3]",
        "vadd.f32 s0, s0, s8",
        "ldr r1, [r3, #68]",
        "lsls r2, r1, #31",
        "bpl 7f",
        "vldr s12, [r3, #60]",
        bound!("s0", "mi"),
        "7:",
        "lsls r2, r1, #30",
        "bpl 8f",
        "vldr s12, [r3, #64]",
        bound!("s0", "gt"),
        "8:",
        "vstmia r11!, {{s0}}",
        "subs r10, r10, #1",
        "bne 6b",
        "9:",
        "vpop {{s16-s23}}",
        "add sp, sp, #4",
        "pop {{r4-r11, pc}}",
    )
}

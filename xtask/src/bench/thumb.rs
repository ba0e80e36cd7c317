//! Instructions of Cortex-M4, as far as their time needs them.
//!
//! Cycles are those of "Instruction set summary" and "Load/store timings" in the Cortex-M4 Technical Reference Manual
//! without waits for memory and without overlap of neighbouring loads; a taken branch refills the pipeline in two.

/// Cycles that a taken branch takes beside its own.
pub(super) const REFILL: u64 = 2;
/// A division takes 2 to this many.
const DIVIDE: u64 = 12;

/// An instruction.
#[derive(Debug, PartialEq)]
pub(super) struct Instruction {
    /// Bytes.
    pub(super) len: u32,
    /// Cycles if no branch is taken.
    pub(super) cycles: u64,
    pub(super) flow: Flow,
}

/// What may run after an instruction beside the one that follows.
#[derive(Debug, PartialEq)]
pub(super) enum Flow {
    Nothing,
    To(u32),
    Anywhere,
}

impl Instruction {
    /// The instruction at the address `at`, which begins with `half` and, if it is wide, has `next`.
    pub(super) fn read(at: u32, half: u16, next: u16) -> Self {
        let [half, next] = [half, next].map(u32::from);
        let (len, (cycles, flow)) =
            if half >> 11 < 0b11101 { (2, narrow(at, half)) } else { (4, wide(at, half, next)) };
        Self { len, cycles, flow }
    }
}

const fn plain(cycles: u64) -> (u64, Flow) {
    (cycles, Flow::Nothing)
}

/// A branch of `bits` that stand for halfwords.
fn branch(at: u32, offset: u32, bits: u32) -> (u64, Flow) {
    let unused = 32 - bits;
    let offset = (offset << unused).cast_signed() >> unused;
    (1, Flow::To(at.wrapping_add(4).wrapping_add_signed(2 * offset)))
}

/// Registers in a list; the last of them may be the program counter.
fn listed(registers: u32, loads_pc: bool) -> (u64, Flow) {
    let cycles = 1 + u64::from(registers.count_ones());
    (cycles, if loads_pc { Flow::Anywhere } else { Flow::Nothing })
}

fn narrow(at: u32, half: u32) -> (u64, Flow) {
    match half >> 8 {
        0x46 if half & 0x87 == 0x87 => (1, Flow::Anywhere),
        0x47 => (1, Flow::Anywhere),
        // Loads of constants; with an offset in a register.
        0x48..=0x5f => plain(2),
        // With a constant offset: stores, loads.
        0x60..=0x9f => plain(if half & 0x800 == 0 { 1 } else { 2 }),
        0xb1 | 0xb3 | 0xb9 | 0xbb => (1, Flow::To(at + 4 + (half >> 2 & 0x3e | half >> 3 & 0x40))),
        0xb4 | 0xb5 => listed(half & 0x1ff, false),
        0xbc | 0xbd => listed(half & 0x1ff, half & 0x100 != 0),
        0xc0..=0xcf => listed(half & 0xff, false),
        0xd0..=0xdd => branch(at, half, 8),
        0xe0..=0xe7 => branch(at, half, 11),
        _ => plain(1),
    }
}

fn wide(at: u32, half: u32, next: u32) -> (u64, Flow) {
    let of = |mask: u32, bits: u32| half & mask == bits;
    if of(0xfff0, 0xe8d0) && next & 0xffe0 == 0xf000 {
        // A table of branches.
        (2, Flow::Anywhere)
    } else if of(0xfe40, 0xe800) {
        listed(next, of(0x10, 0x10) && next & 0x8000 != 0)
    } else if of(0xfe40, 0xe840) {
        // Exclusive ones; two registers.
        plain(if of(0x120, 0) { 2 } else { 3 })
    } else if of(0xec00, 0xec00) && next & 0xe00 == 0xa00 {
        plain(float(half, next))
    } else if of(0xf800, 0xf000) && next & 0x8000 != 0 {
        far_branch(at, half, next)
    } else if of(0xfe00, 0xf800) {
        let register = of(0x80, 0) && next & 0xfc0 == 0;
        match (of(0x10, 0x10), next >> 12) {
            (true, 15) if of(0x60, 0x40) => (2, Flow::Anywhere),
            (true, _) => plain(2),
            (false, _) => plain(if register { 2 } else { 1 }),
        }
    } else if of(0xffd0, 0xfb90) && next & 0xf0 == 0xf0 {
        plain(DIVIDE)
    } else {
        plain(1)
    }
}

fn far_branch(at: u32, half: u32, next: u32) -> (u64, Flow) {
    let sign = half >> 10 & 1;
    let [first, second] = [next >> 13 & 1, next >> 11 & 1];
    let low = next & 0x7ff;
    if next & 0x1000 != 0 {
        let [first, second] = [first, second].map(|bit| bit ^ sign ^ 1);
        branch(at, sign << 23 | first << 22 | second << 21 | (half & 0x3ff) << 11 | low, 24)
    } else if half & 0x380 == 0x380 {
        plain(1)
    } else {
        branch(at, sign << 19 | second << 18 | first << 17 | (half & 0x3f) << 11 | low, 20)
    }
}

fn float(half: u32, next: u32) -> u64 {
    if half & 0x200 == 0 {
        let words = u64::from(next & 0xff);
        return match half & 0x1e0 {
            0x40 => 2,
            // One register, of 64 or 32 bits.
            bits if bits & 0x120 == 0x100 => 2 + u64::from(next >> 8 & 1),
            _ => 1 + words,
        };
    }
    match half & 0xb0 {
        _ if next & 0x10 != 0 => 1,
        // Multiply and add.
        0x00 | 0x10 | 0x90 | 0xa0 => 3,
        // Divide, root.
        0x80 => 14,
        0xb0 if half & 0xf == 1 && next & 0xc0 == 0xc0 => 14,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_manual() {
        let cases: &[(&str, [u16; 2], u32, u64)] = &[
            ("ldr r0, [r1, #4]", [0x6848, 0x0000], 2, 2),
            ("ldrb r0, [r1, r2]", [0x5c88, 0x0000], 2, 2),
            ("str r0, [r1, #4]", [0x6048, 0x0000], 2, 1),
            ("str r0, [r1, r2]", [0x5088, 0x0000], 2, 2),
            ("strh r0, [r1, r2]", [0x5288, 0x0000], 2, 2),
            ("str.w r0, [r9, #4]", [0xf8c9, 0x0004], 4, 1),
            ("str.w r0, [r9, r2]", [0xf849, 0x0002], 4, 2),
            ("strb r0, [r1], #1", [0xf801, 0x0b01], 4, 1),
            ("ldr.w r10, [r1], #4", [0xf851, 0xab04], 4, 2),
            ("ldrsb r9, [r1, #-1]!", [0xf911, 0x9d01], 4, 2),
            ("ldrd r2, r3, [r1], #8", [0xe8f1, 0x2302], 4, 3),
            ("strd r2, r3, [r1]", [0xe9c1, 0x2300], 4, 3),
            ("ldm r0!, {r1, r2, r3}", [0xc80e, 0x0000], 2, 4),
            ("ldm.w r9!, {r1, r2, r10}", [0xe8b9, 0x0406], 4, 4),
            ("stm r0!, {r1, r2, r3}", [0xc00e, 0x0000], 2, 4),
            ("push {r4, r5, lr}", [0xb530, 0x0000], 2, 4),
            ("push.w {r4, r5, r8, lr}", [0xe92d, 0x4130], 4, 5),
            ("pop {r4, r5}", [0xbc30, 0x0000], 2, 3),
            ("ldrex r0, [r1]", [0xe851, 0x0f00], 4, 2),
            ("smlad r0, r1, r2, r3", [0xfb21, 0x3002], 4, 1),
            ("mla r0, r1, r2, r3", [0xfb01, 0x3002], 4, 1),
            ("smlal r0, r1, r2, r3", [0xfbc2, 0x0103], 4, 1),
            ("smmlar r0, r1, r2, r3", [0xfb51, 0x3012], 4, 1),
            ("sxtb16 r0, r1, ror #8", [0xfa2f, 0xf091], 4, 1),
            ("ssat r0, #8, r1", [0xf301, 0x0007], 4, 1),
            ("adds r0, r1, r2", [0x1888, 0x0000], 2, 1),
            ("cmp r0, #3", [0x2803, 0x0000], 2, 1),
            ("dmb", [0xf3bf, 0x8f5f], 4, 1),
            ("nop", [0xbf00, 0x0000], 2, 1),
            ("sdiv r0, r1, r2", [0xfb91, 0xf0f2], 4, 12),
            ("udiv r0, r1, r2", [0xfbb1, 0xf0f2], 4, 12),
            ("vldr s0, [r1]", [0xed91, 0x0a00], 4, 2),
            ("vldr d0, [r1]", [0xed91, 0x0b00], 4, 3),
            ("vstr s0, [r1]", [0xed81, 0x0a00], 4, 2),
            ("vldmia r0!, {s0, s1, s2, s3}", [0xecb0, 0x0a04], 4, 5),
            ("vpush {d8, d9}", [0xed2d, 0x8b04], 4, 5),
            ("vmla.f32 s0, s1, s2", [0xee00, 0x0a81], 4, 3),
            ("vmls.f32 s0, s1, s2", [0xee00, 0x0ac1], 4, 3),
            ("vfma.f32 s0, s1, s2", [0xeea0, 0x0a81], 4, 3),
            ("vmul.f32 s0, s1, s2", [0xee20, 0x0a81], 4, 1),
            ("vadd.f32 s0, s1, s2", [0xee30, 0x0a81], 4, 1),
            ("vdiv.f32 s0, s1, s2", [0xee80, 0x0a81], 4, 14),
            ("vsqrt.f32 s0, s1", [0xeeb1, 0x0ae0], 4, 14),
            ("vcvt.f32.s32 s0, s1", [0xeeb8, 0x0ae0], 4, 1),
            ("vmov s0, r1", [0xee00, 0x1a10], 4, 1),
            ("vmov r0, r1, s2, s3", [0xec51, 0x0a11], 4, 2),
            ("vmrs APSR_nzcv, fpscr", [0xeef1, 0xfa10], 4, 1),
            ("mrs r0, primask", [0xf3ef, 0x8010], 4, 1),
        ];
        for (text, [half, next], len, cycles) in cases {
            let Instruction { len: got_len, cycles: got, flow } = Instruction::read(0x100, *half, *next);
            assert_eq!((got_len, got, flow), (*len, *cycles, Flow::Nothing), "{text}");
        }
    }

    #[test]
    fn branches_go_where_the_assembler_sent_them() {
        let cases: &[(&str, [u16; 2], Option<i32>)] = &[
            ("bx lr", [0x4770, 0x0000], None),
            ("blx r3", [0x4798, 0x0000], None),
            ("mov pc, r3", [0x469f, 0x0000], None),
            ("pop {r4, pc}", [0xbd10, 0x0000], None),
            ("pop.w {r4, r9, pc}", [0xe8bd, 0x8210], None),
            ("ldm.w r1, {r2, pc}", [0xe891, 0x8004], None),
            ("ldr.w pc, [r1, r2, lsl #2]", [0xf851, 0xf022], None),
            ("tbb [pc, r1]", [0xe8df, 0xf001], None),
            ("tbh [pc, r1, lsl #1]", [0xe8df, 0xf011], None),
            ("cbz r1, #20", [0xb151, 0x0000], Some(20)),
            ("cbnz r1, #80", [0xbb41, 0x0000], Some(80)),
            ("bne #-20", [0xd1f6, 0x0000], Some(-20)),
            ("b #-1000", [0xe60c, 0x0000], Some(-1_000)),
            ("b #1000", [0xe1f4, 0x0000], Some(1_000)),
            ("bne.w #-2000", [0xf47f, 0xac18], Some(-2_000)),
            ("beq.w #300000", [0xf009, 0xa1f0], Some(300_000)),
            ("b.w #-3000000", [0xf523, 0xbca0], Some(-3_000_000)),
            ("b.w #3000000", [0xf2dc, 0xbb60], Some(3_000_000)),
            ("bl #-3000000", [0xf523, 0xfca0], Some(-3_000_000)),
            ("bl #8", [0xf000, 0xf804], Some(8)),
        ];
        let at = 0x40_0000_u32;
        for (text, [half, next], offset) in cases {
            let flow = offset.map_or(Flow::Anywhere, |offset| Flow::To((at + 4).wrapping_add_signed(offset)));
            assert_eq!(Instruction::read(at, *half, *next).flow, flow, "{text}");
        }
    }
}

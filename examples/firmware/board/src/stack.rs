//! The depth of the stack, by the paint that start-up puts on it.

/// The size of the stack, as in `ld/sections.ld`.
pub const STACK_BYTES: usize = 4096;

/// What start-up fills the stack with.
pub(crate) const PAINT: u32 = 0xC5C5_C5C5;

unsafe extern "C" {
    static stack_bottom: [u32; STACK_BYTES / 4];
}

/// The most bytes of stack that were in use at once since start-up.
#[must_use]
pub fn stack_used() -> usize {
    let bottom = &raw const stack_bottom;
    let mut clean = 0;
    while clean < STACK_BYTES / 4 {
        // SAFETY: the linker script reserves this range for the stack; nothing
        // in it is a Rust object that a volatile read could disturb.
        let word = unsafe { bottom.cast::<u32>().wrapping_add(clean).read_volatile() };
        if word != PAINT {
            break;
        }
        clean += 1;
    }
    STACK_BYTES - 4 * clean
}

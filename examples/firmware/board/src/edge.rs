//! The end of memory, where a read too far is a fault (exit code 102): on AN386 it is none, but AN505 has the same
//! kernels.

use core::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    static mut edge_start: u8;
    static edge_end: u8;
}

static TAKEN: AtomicBool = AtomicBool::new(false);

/// The last bytes of memory, as many as the program was linked with (`WATERLINE_EDGE`); `None` after the first time.
pub fn take_edge() -> Option<&'static mut [u8]> {
    // One core, no interrupts: nothing comes between.
    if TAKEN.load(Ordering::Relaxed) {
        return None;
    }
    TAKEN.store(true, Ordering::Relaxed);
    let (start, end) = (&raw mut edge_start, &raw const edge_end);
    let len = end as usize - start as usize;
    // SAFETY: the linker script reserves this range for whoever takes it, which happens once; a byte may hold anything.
    Some(unsafe { core::slice::from_raw_parts_mut(start, len) })
}

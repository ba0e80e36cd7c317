//! Windows as machine code sees them.

#[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
use crate::kernels::{Elements, Sink};
use core::cell::Cell;
use core::marker::PhantomData;

/// Bytes that may be read while it exists.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "for machine code")]
pub struct Memory<'a> {
    pub(super) start: *const u8,
    pub(super) bytes: usize,
    cells: PhantomData<&'a [Cell<u8>]>,
}

/// Bytes that may be read and written while it exists.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "for machine code")]
pub struct MemoryMut<'a> {
    pub(super) start: *mut u8,
    pub(super) bytes: usize,
    cells: PhantomData<&'a [Cell<u8>]>,
}

impl<'a> Memory<'a> {
    #[inline(always)]
    pub(in crate::kernels) const fn of<T: bytemuck::Pod>(elements: &'a [T]) -> Self {
        Self { start: elements.as_ptr().cast(), bytes: size_of_val(elements), cells: PhantomData }
    }
}

#[cfg(waterline_arch = "x86")]
impl Memory<'_> {
    /// The `len` bytes from `at` on, if they lie inside.
    #[inline(always)]
    pub(super) fn part(self, at: usize, len: usize) -> Option<Self> {
        let fits = at.checked_add(len).is_some_and(|end| end <= self.bytes);
        fits.then(|| Self { start: self.start.wrapping_add(at), bytes: len, ..self })
    }
}

impl<'a> MemoryMut<'a> {
    #[inline(always)]
    pub(in crate::kernels) const fn of<T: bytemuck::Pod>(cells: &'a [Cell<T>]) -> Self {
        // A cell's content may be written through a shared reference to it.
        Self { start: cells.as_ptr().cast_mut().cast(), bytes: size_of_val(cells), cells: PhantomData }
    }

    /// The same, to be read.
    #[inline(always)]
    pub(in crate::kernels) const fn read(self) -> Memory<'a> {
        Memory { start: self.start, bytes: self.bytes, cells: PhantomData }
    }
}

/// Two arguments of as many elements, and where the first of so many results goes, if all of them lie in `y` from `to`
/// on.
#[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
#[inline(always)]
pub(super) fn pairwise<'w>(
    a: impl Elements<i8> + 'w,
    b: impl Elements<i8> + 'w,
    y: impl Sink<i8> + 'w,
    to: usize,
) -> Option<([Memory<'w>; 2], *mut u8)> {
    let (a, b, y) = (a.memory()?, b.memory()?, y.memory_mut()?);
    let fits = a.bytes == b.bytes && a.bytes <= y.bytes && to <= y.bytes - a.bytes;
    fits.then(|| ([a, b], y.start.wrapping_add(to)))
}

/// Two numbers of a byte, each in four bytes.
#[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
#[inline(always)]
pub(super) fn bytes([min, max]: [i32; 2]) -> [u32; 2] {
    [four(min), four(max)]
}

/// A number of a byte in four bytes.
#[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is that of a byte")]
pub(super) fn four(bound: i32) -> u32 {
    u32::from(bound as u8) * 0x0101_0101
}

//! Windows of an arena: safe code that compiles to constant addresses.
//!
//! A [`Slot`] is the place of one tensor as a constant. Generated code reads
//! and writes the arena through slots only, and the plan that the compiler
//! proves is made of the same slots.
#![allow(clippy::inline_always, reason = "a window that is not inlined is a call and a check, at every opt-level")]

use crate::kernels::Bytes;
use crate::plan::Span;
use bytemuck::Pod;
use core::cell::Cell;
use core::marker::PhantomData;

/// Bytes of the granule of which arenas are made: the largest that a tensor's start must be aligned to.
pub const WORD: usize = size_of::<u32>();

/// `LEN` elements of `T`, `START` elements from the start of the arena or of another array.
#[derive(Debug)]
pub struct Slot<T, const START: usize, const LEN: usize>(PhantomData<T>);

impl<T: Pod, const START: usize, const LEN: usize> Slot<T, START, LEN> {
    /// The slot.
    pub const HERE: Self = Self(PhantomData);

    /// Bytes from the arena's start.
    #[must_use]
    pub const fn offset(&self) -> usize {
        START * size_of::<T>()
    }

    /// Size in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        LEN * size_of::<T>()
    }

    /// Its bytes.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span { offset: self.offset(), size: self.size() }
    }

    /// Its elements in an arena.
    #[inline(always)]
    #[must_use]
    pub fn get<'a, const WORDS: usize>(&self, words: &'a [u32; WORDS]) -> &'a [T; LEN] {
        const { assert!((START + LEN) * size_of::<T>() <= WORDS * WORD) };
        self.array(bytemuck::must_cast_slice(words))
    }

    /// Its elements in an arena, to be written.
    #[inline(always)]
    #[must_use]
    pub fn get_mut<'a, const WORDS: usize>(&self, words: &'a mut [u32; WORDS]) -> &'a mut [T; LEN] {
        const { assert!((START + LEN) * size_of::<T>() <= WORDS * WORD) };
        let elements = bytemuck::must_cast_slice_mut::<u32, T>(words);
        match elements.split_first_chunk_mut::<START>().and_then(|(_, rest)| rest.first_chunk_mut()) {
            Some(array) => array,
            None => outside(),
        }
    }

    /// Its elements in a constant or a borrowed input.
    #[inline(always)]
    #[must_use]
    pub const fn array<'a>(&self, elements: &'a [T]) -> &'a [T; LEN] {
        if let Some((_, rest)) = elements.split_first_chunk::<START>()
            && let Some(array) = rest.first_chunk()
        {
            return array;
        }
        outside()
    }

    /// As [`array`](Self::array), as a slice.
    #[inline(always)]
    #[must_use]
    pub const fn slice<'a>(&self, elements: &'a [T]) -> &'a [T] {
        self.array(elements)
    }

    /// Its cells, which may overlap those of other slots.
    #[inline(always)]
    #[must_use]
    pub fn cells<'a>(&self, region: Region<'a, T>) -> &'a [Cell<T>] {
        let start = START.wrapping_sub(region.base);
        region.cells.get(start..start.wrapping_add(LEN)).unwrap_or(&[])
    }

    /// Its elements over the bytes of an arena whose other tensors have another type.
    #[inline(always)]
    #[must_use]
    pub fn bytes<'a>(&self, region: Region<'a, u8>) -> Bytes<'a, T> {
        let start = self.offset().wrapping_sub(region.base);
        Bytes::new(region.cells.get(start..start.wrapping_add(self.size())).unwrap_or(&[]))
    }
}

/// What cannot happen: a slot outside its array, which a constant assertion has excluded.
#[cold]
#[inline(always)]
#[allow(clippy::empty_loop, reason = "never reached and optimised away; a panic would leave its machinery behind")]
const fn outside() -> ! {
    loop {}
}

/// An arena, or the part of it from element `base` on, as cells of one type.
#[derive(Clone, Copy)]
pub struct Region<'a, T> {
    base: usize,
    cells: &'a [Cell<T>],
}

/// The whole arena as cells of `T`.
#[inline(always)]
#[must_use]
pub fn region<T: Pod, const WORDS: usize>(words: &mut [u32; WORDS]) -> Region<'_, T> {
    after::<T>(words, 0)
}

/// The arena below word `AT` as cells of `A` and the rest as cells of `B`.
#[inline(always)]
#[must_use]
pub fn split<A: Pod, B: Pod, const AT: usize, const WORDS: usize>(
    words: &mut [u32; WORDS],
) -> (Region<'_, A>, Region<'_, B>) {
    const { assert!(AT <= WORDS) };
    match words.split_first_chunk_mut::<AT>() {
        Some((low, high)) => (after::<A>(low, 0), after::<B>(high, AT)),
        None => outside(),
    }
}

#[inline(always)]
fn after<T: Pod>(words: &mut [u32], word: usize) -> Region<'_, T> {
    let cells = Cell::from_mut(bytemuck::must_cast_slice_mut::<u32, T>(words)).as_slice_of_cells();
    Region { base: word * (WORD / size_of::<T>()), cells }
}

/// All bytes of an arena.
#[inline(always)]
#[must_use]
pub fn bytes<const WORDS: usize>(words: &[u32; WORDS]) -> &[u8] {
    bytemuck::must_cast_slice(words)
}

/// All bytes of an arena, to be written.
#[inline(always)]
#[must_use]
pub fn bytes_mut<const WORDS: usize>(words: &mut [u32; WORDS]) -> &mut [u8] {
    bytemuck::must_cast_slice_mut(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Elements, Sink};
    use static_assertions::{assert_eq_align, assert_impl_all, const_assert_eq};

    // A slot is all in its type: to pass one costs nothing.
    const_assert_eq!(size_of::<Slot<f32, 3, 5>>(), 0);
    // A region is passed by value, in registers.
    assert_impl_all!(Region<'static, i8>: Copy);
    const_assert_eq!(size_of::<Region<'static, i8>>(), 3 * size_of::<usize>());
    // Words hold every type that a tensor may have.
    assert_eq_align!(u32, f32, i32);
    const_assert_eq!(size_of::<[u32; 5]>(), 5 * WORD);

    const LOW: Slot<i8, 1, 3> = Slot::HERE;
    const HIGH: Slot<f32, 2, 2> = Slot::HERE;

    #[test]
    fn arrays_are_the_bytes_of_the_arena() {
        let mut words = [0u32; 4];
        *LOW.get_mut(&mut words) = [1, 2, 3];
        *HIGH.get_mut(&mut words) = [1.0, -1.0];
        assert_eq!(bytes_mut(&mut words), [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf]);
        assert_eq!((LOW.get(&words), HIGH.get(&words)), (&[1, 2, 3], &[1.0, -1.0]));
        assert_eq!((LOW.offset(), LOW.size(), HIGH.offset(), HIGH.size()), (1, 3, 8, 8));
    }

    #[test]
    fn windows_of_a_part_start_where_the_part_starts() {
        let mut words = [0u32; 4];
        let (low, high) = split::<i8, f32, 1, 4>(&mut words);
        LOW.cells(low).put(2, 7);
        HIGH.cells(high).put(0, 2.0);
        assert_eq!((LOW.get(&words), HIGH.get(&words)), (&[0, 0, 7], &[2.0, 0.0]));
    }

    #[test]
    fn windows_of_bytes_and_of_elements_are_the_same() {
        let mut words = [0u32; 4];
        let arena: Region<'_, u8> = region(&mut words);
        HIGH.bytes(arena).put(1, 3.5);
        LOW.bytes(arena).put(0, -1);
        assert_eq!(HIGH.bytes(arena).at(1).to_bits(), 3.5f32.to_bits());
        assert_eq!((LOW.get(&words), HIGH.get(&words)), (&[-1, 0, 0], &[0.0, 3.5]));
        let arena = region(&mut words);
        assert_eq!(HIGH.cells(arena).at(1).to_bits(), 3.5f32.to_bits());
    }

    #[test]
    fn slots_of_constants_are_parts_of_them() {
        assert_eq!(LOW.array(&[9, 8, 7, 6]), &[8, 7, 6]);
        assert_eq!(HIGH.slice(&[0.0, 0.0, 1.0, 2.0, 3.0]), [1.0, 2.0]);
    }
}

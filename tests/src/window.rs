//! The bytes of tensors, as the kernels of the interpreter see them.

use crate::trace;
use bytemuck::Pod;
use std::cell::Cell;
use std::ops::Range;
use waterline::kernels::{Bytes, Elements, Sink};

/// Bytes aligned for every element type.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    words: Vec<u64>,
    bytes: usize,
}

impl Words {
    /// A copy of `bytes`.
    #[must_use]
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut words = vec![0; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self { words, bytes: bytes.len() }
    }

    /// The bytes.
    #[must_use]
    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.bytes]
    }
}

/// The words of an arena as cells.
pub(crate) fn cells(arena: &mut [u32]) -> &[Cell<u8>] {
    Cell::from_mut(bytemuck::cast_slice_mut::<u32, u8>(arena)).as_slice_of_cells()
}

/// The bytes of a tensor.
#[derive(Clone, Copy)]
pub(crate) enum Window<'a> {
    /// In the arena.
    Arena(&'a [Cell<u8>]),
    /// In flash or a borrowed input.
    Constant(&'a [u8]),
}

impl<'a> Window<'a> {
    pub(crate) fn typed<T: Pod>(self) -> Typed<'a, T> {
        match self {
            Self::Arena(cells) => Typed::Arena(Bytes::new(cells), cells.as_ptr().addr()),
            Self::Constant(bytes) => Typed::Constant(bytemuck::cast_slice(bytes)),
        }
    }

    pub(crate) fn to_vec(self) -> Vec<u8> {
        self.typed::<u8>().values().collect()
    }
}

/// A [`Window`] of elements.
#[derive(Clone, Copy)]
pub(crate) enum Typed<'a, T> {
    /// With the address of its first byte.
    Arena(Bytes<'a, T>, usize),
    Constant(&'a [T]),
}

impl<T: Pod> Elements<T> for Typed<'_, T> {
    fn count(self) -> usize {
        match self {
            Self::Arena(window, _) => window.count(),
            Self::Constant(window) => window.count(),
        }
    }

    fn at(self, index: usize) -> T {
        match self {
            Self::Arena(window, start) => {
                if index < window.count() {
                    trace::read(start + index * size_of::<T>(), size_of::<T>());
                }
                window.at(index)
            }
            Self::Constant(window) => window.at(index),
        }
    }

    fn part(self, range: Range<usize>) -> Self {
        match self {
            Self::Arena(window, start) => {
                // Whatever leaves the window is empty.
                let first = range.start.min(window.count()) * size_of::<T>();
                Self::Arena(window.part(range), start + first)
            }
            Self::Constant(window) => Self::Constant(window.part(range)),
        }
    }

    fn values(self) -> impl ExactSizeIterator<Item = T> {
        (0..self.count()).map(move |index| self.at(index))
    }
}

impl<T: Pod> Sink<T> for Typed<'_, T> {
    fn put(self, index: usize, value: T) {
        match self {
            Self::Arena(window, start) => {
                if index < window.count() {
                    trace::write(start + index * size_of::<T>(), size_of::<T>());
                }
                window.put(index, value);
            }
            Self::Constant(_) => panic!("a kernel writes a constant"),
        }
    }
}

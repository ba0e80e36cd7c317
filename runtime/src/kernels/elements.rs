//! Windows: how a kernel sees the bytes of a tensor.

use super::Units;
use super::arch::{Memory, MemoryMut};
use bytemuck::Pod;
use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::Range;

/// A readable window of `T`.
pub trait Elements<T: Copy>: Copy {
    /// Number of elements.
    fn count(self) -> usize;

    /// Element `index`, or `T`'s zero outside the window.
    fn at(self, index: usize) -> T;

    /// The elements of `range`; empty if it leaves the window.
    #[must_use]
    fn part(self, range: Range<usize>) -> Self;

    /// The elements from `index` on; none if it leaves the window.
    #[must_use]
    #[inline(always)]
    fn after(self, index: usize) -> Self {
        self.part(index..self.count())
    }

    /// The four elements from `index` on, zeros outside the window.
    #[inline(always)]
    fn four(self, index: usize) -> [T; 4] {
        [self.at(index), self.at(index + 1), self.at(index + 2), self.at(index + 3)]
    }

    /// The elements in order.
    fn values(self) -> impl ExactSizeIterator<Item = T>;

    /// Where the elements lie side by side. Kernels in assembly read no others.
    #[inline(always)]
    fn memory<'w>(self) -> Option<Memory<'w>>
    where
        Self: 'w,
    {
        None
    }
}

impl<T: Pod> Elements<T> for &[T] {
    #[inline(always)]
    fn count(self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn at(self, index: usize) -> T {
        self.get(index).copied().unwrap_or(T::zeroed())
    }
    #[inline(always)]
    fn part(self, range: Range<usize>) -> Self {
        self.get(range).unwrap_or(&[])
    }
    #[inline(always)]
    fn after(self, index: usize) -> Self {
        self.get(index..).unwrap_or(&[])
    }
    #[inline(always)]
    fn four(self, index: usize) -> [T; 4] {
        self.after(index).first_chunk().copied().unwrap_or([T::zeroed(); 4])
    }
    #[inline(always)]
    fn values(self) -> impl ExactSizeIterator<Item = T> {
        self.iter().copied()
    }
    #[inline(always)]
    fn memory<'w>(self) -> Option<Memory<'w>>
    where
        Self: 'w,
    {
        Some(Memory::of(self))
    }
}

impl<T: Pod> Elements<T> for &[Cell<T>] {
    #[inline(always)]
    fn count(self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn at(self, index: usize) -> T {
        self.get(index).map_or(T::zeroed(), Cell::get)
    }
    #[inline(always)]
    fn part(self, range: Range<usize>) -> Self {
        self.get(range).unwrap_or(&[])
    }
    #[inline(always)]
    fn after(self, index: usize) -> Self {
        self.get(index..).unwrap_or(&[])
    }
    #[inline(always)]
    fn four(self, index: usize) -> [T; 4] {
        let Some([a, b, c, d]) = self.after(index).first_chunk() else { return [T::zeroed(); 4] };
        [a.get(), b.get(), c.get(), d.get()]
    }
    #[inline(always)]
    fn values(self) -> impl ExactSizeIterator<Item = T> {
        self.iter().map(Cell::get)
    }
    #[inline(always)]
    fn memory<'w>(self) -> Option<Memory<'w>>
    where
        Self: 'w,
    {
        Some(MemoryMut::of(self).read())
    }
}

/// A writable window of `T`; readable too, for results computed in place.
pub trait Sink<T: Copy>: Elements<T> {
    /// Writes element `index`; nothing outside the window.
    fn put(self, index: usize, value: T);

    /// Where the elements lie side by side. Kernels in assembly write no others.
    #[inline(always)]
    fn memory_mut<'w>(self) -> Option<MemoryMut<'w>>
    where
        Self: 'w,
    {
        None
    }

    /// Writes the four elements from `index` on, which lie in the window.
    #[inline(always)]
    fn put_four(self, index: usize, [a, b, c, d]: [T; 4]) {
        self.put(index, a);
        self.put(index + 1, b);
        self.put(index + 2, c);
        self.put(index + 3, d);
    }
}

impl<T: Pod> Sink<T> for &[Cell<T>] {
    #[inline(always)]
    fn put(self, index: usize, value: T) {
        if let Some(cell) = self.get(index) {
            cell.set(value);
        }
    }
    #[inline(always)]
    fn memory_mut<'w>(self) -> Option<MemoryMut<'w>>
    where
        Self: 'w,
    {
        Some(MemoryMut::of(self))
    }
    #[inline(always)]
    fn put_four(self, index: usize, values: [T; 4]) {
        if let Some([a, b, c, d]) = self.after(index).first_chunk() {
            let [va, vb, vc, vd] = values;
            a.set(va);
            b.set(vb);
            c.set(vc);
            d.set(vd);
        }
    }
}

/// A window of `T` over bytes, for steps whose tensors differ in type.
#[derive(Debug)]
pub struct Bytes<'a, T>(&'a [Cell<u8>], PhantomData<T>);

impl<T> Clone for Bytes<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Bytes<'_, T> {}

impl<'a, T: Pod> Bytes<'a, T> {
    /// The bytes as elements, in native order.
    #[must_use]
    #[inline(always)]
    pub const fn new(bytes: &'a [Cell<u8>]) -> Self {
        Self(bytes, PhantomData)
    }

    #[inline(always)]
    fn cells(self, index: usize) -> &'a [Cell<u8>] {
        let start = index.saturating_mul(size_of::<T>());
        self.0.get(start..start.saturating_add(size_of::<T>())).unwrap_or(&[])
    }
}

impl<T: Pod> Elements<T> for Bytes<'_, T> {
    #[inline(always)]
    fn count(self) -> usize {
        self.0.len() / size_of::<T>()
    }
    #[inline(always)]
    fn at(self, index: usize) -> T {
        // Spelled out, it is one load; a loop stays one where size counts.
        let bytes = match self.cells(index) {
            [a, b, c, d] => [a.get(), b.get(), c.get(), d.get()],
            [a, b] => [a.get(), b.get(), 0, 0],
            [a] => [a.get(), 0, 0, 0],
            _ => [0; 4],
        };
        low_bytes(i32::from_le_bytes(bytes))
    }
    #[inline(always)]
    fn part(self, range: Range<usize>) -> Self {
        let size = size_of::<T>();
        let bytes = range.start.saturating_mul(size)..range.end.saturating_mul(size);
        Self::new(self.0.get(bytes).unwrap_or(&[]))
    }
    #[inline(always)]
    fn values(self) -> impl ExactSizeIterator<Item = T> {
        (0..self.count()).map(move |index| self.at(index))
    }
    #[inline(always)]
    fn memory<'w>(self) -> Option<Memory<'w>>
    where
        Self: 'w,
    {
        Some(MemoryMut::of(self.0).read())
    }
}

impl<T: Pod> Sink<T> for Bytes<'_, T> {
    #[inline(always)]
    fn put(self, index: usize, value: T) {
        const { assert!(size_of::<T>() <= 4) };
        match (bytemuck::bytes_of(&value), self.cells(index)) {
            (&[a, b, c, d], [at, to, third, last]) => {
                at.set(a);
                to.set(b);
                third.set(c);
                last.set(d);
            }
            (&[a, b], [at, to]) => {
                at.set(a);
                to.set(b);
            }
            (&[a], [at]) => at.set(a),
            _ => {}
        }
    }
    #[inline(always)]
    fn memory_mut<'w>(self) -> Option<MemoryMut<'w>>
    where
        Self: 'w,
    {
        Some(MemoryMut::of(self.0))
    }
}

/// The element of up to four bytes that the low bytes of `bits` are.
#[inline(always)]
pub(super) fn low_bytes<T: Pod>(bits: i32) -> T {
    const { assert!(size_of::<T>() <= 4) };
    let bytes = bits.to_le_bytes();
    let value = bytes.get(..size_of::<T>()).and_then(|bytes| bytemuck::try_pod_read_unaligned(bytes).ok());
    value.unwrap_or_else(T::zeroed)
}

/// How the rows of an image lie in its window: whole (`held` = its height) or
/// as a ring of the last `held` rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Elements from one row to the next.
    pub stride: usize,
    /// Rows that the window holds.
    pub held: usize,
}

/// How many times `by`, which is not 0, fits into `count`, and what is left.
#[inline(always)]
pub(super) fn divide(count: usize, by: usize) -> (usize, usize) {
    // ARMv6-M has no instruction for it, and the function takes more time than a few turns, and 60 bytes of stack.
    if !cfg!(waterline_arch = "thumb") || count >> 4 >= by {
        return (count / by, count % by);
    }
    let (mut times, mut left) = (0, count);
    while left >= by {
        left -= by;
        times += 1;
    }
    (times, left)
}

impl Rows {
    /// The first element of row `y`.
    #[must_use]
    #[inline(always)]
    pub fn start(self, y: usize) -> usize {
        let slot = if y >= self.held && self.held > 0 { divide(y, self.held).1 } else { y };
        slot * self.stride
    }

    /// How many of the rows `units` lie one after the other from the first on.
    #[must_use]
    #[inline(always)]
    pub(super) fn together(self, units: Units) -> usize {
        let y = units.at(0);
        let slot = if y >= self.held && self.held > 0 { y % self.held } else { y };
        let left = if units.is_backward() { slot + 1 } else { self.held.saturating_sub(slot) };
        units.count().min(left)
    }

    /// The first element of the row `rows` below the one that starts at `start`; the window holds both.
    #[must_use]
    #[inline(always)]
    pub fn below(self, start: usize, rows: usize) -> usize {
        let (start, end) = (start + rows * self.stride, self.held * self.stride);
        if start >= end && end > 0 { start - end } else { start }
    }
}

//! Runs random layers through the machine's kernels and prints how many there were and which were wrong.
//!
//! The file named by `WATERLINE_LAYERS`, written by `cargo xtask firmware`, holds the layers as words: see
//! `tests/src/machine.rs`. Each runs in both directions at several alignments, between guards that must neither change
//! nor matter, and with each window up to the end of memory, where a read too far is a fault.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

mod layer;

use board::{print, print_number};
use core::cell::Cell;
use core::mem::swap;
use layer::{Layer, List};
use static_cell::ConstStaticCell;
use waterline::kernels::Units;

/// Bytes before each window, and after it at least.
const GUARD: usize = 16;
/// The largest window in bytes, guards included, and what there is at the end of memory.
const MOST: usize = match usize::from_str_radix(env!("WATERLINE_EDGE"), 10) {
    Ok(bytes) => bytes,
    Err(_) => panic!("WATERLINE_EDGE is no number"),
};

/// Memory for a window, of which some kernels need aligned words.
#[repr(align(4))]
struct Aligned([u8; MOST]);

/// Memory for the words and bytes of a layer's numbers, its argument, its result and its scratch.
type Memory = [&'static mut [u8]; 5];

/// Their places there.
const X: usize = 2;
const Y: usize = 3;
const SCRATCH: usize = 4;

static LAYERS: &[u8] = include_bytes!(env!("WATERLINE_LAYERS"));
static MEMORY: ConstStaticCell<[Aligned; 5]> = ConstStaticCell::new([const { Aligned([0; MOST]) }; 5]);
static GIVEN: ConstStaticCell<[u8; MOST]> = ConstStaticCell::new([0; MOST]);
static WANTED: ConstStaticCell<[u8; MOST]> = ConstStaticCell::new([0; MOST]);

board::entry!(main);

fn main() -> u32 {
    let (Some(memory), Some(mut edge)) = (MEMORY.try_take(), board::take_edge()) else { return 1 };
    let (Some(given), Some(wanted)) = (GIVEN.try_take(), WANTED.try_take()) else { return 1 };
    let mut memory: Memory = memory.each_mut().map(|Aligned(window)| &mut window[..]);
    let (mut list, mut layers, mut wrong) = (List(LAYERS), 0, 0);
    while !list.0.is_empty() {
        let start = list;
        for last in [None, Some(0), Some(1), Some(X), Some(Y), Some(SCRATCH)] {
            list = start;
            if let Some(last) = last {
                swap(&mut memory[last], &mut edge);
            }
            wrong += check(&mut list, layers, &mut memory, [given, wanted], last);
            if let Some(last) = last {
                swap(&mut memory[last], &mut edge);
            }
        }
        layers += 1;
    }
    print("{\"layers\":");
    print_number(layers);
    print(",\"wrong\":");
    print_number(wrong);
    print("}\n");
    u32::from(wrong > 0)
}

/// Runs the next layer of `list`, whose number is `index`, in both directions: at several alignments, or so that the
/// window `last` ends where memory does. Returns how often it was wrong.
fn check(
    list: &mut List,
    index: u64,
    [words, bytes, x, y, scratch]: &mut Memory,
    [given, wanted]: [&mut [u8; MOST]; 2],
    last: Option<usize>,
) -> u64 {
    let Some(layer) = Layer::read(list, bytemuck::cast_slice_mut(words), bytes, given, wanted) else { return 1 };
    let shifts = if last.is_some() { 0..1 } else { 0..4 };
    let place = |window, len, from| if last == Some(window) { MOST - len } else { GUARD + from };
    let mut wrong = 0;
    for (shift, backward) in shifts.flat_map(|shift| [(shift, false), (shift, true)]) {
        let from = place(X, layer.x.len(), layer.shift(shift));
        let to = place(Y, layer.y.len(), layer.shift(3 - shift));
        let own = place(SCRATCH, layer.scratch, if layer.scratch_is_bytes() { shift } else { 0 });
        let pattern = [0x55, 0xAA, 0x00, 0xFF][shift];
        let mut windows = Windows { x, y, scratch, from, to, own, pattern, backward };
        let apart = windows.check(&layer);
        if !apart || last.is_none() && !windows.check_over(&layer) {
            wrong += 1;
            print(if apart { "wrong over its argument: layer " } else { "wrong: layer " });
            print_number(index);
            print(", kernel ");
            print_number(layer.kernel.into());
            print(", shift ");
            print_number(shift as u64);
            print(if backward { ", backward\n" } else { "\n" });
        }
    }
    wrong
}

/// Memory with a pattern around an argument, a result and scratch.
struct Windows<'a> {
    x: &'a mut [u8],
    y: &'a mut [u8],
    scratch: &'a mut [u8],
    /// Where the argument starts.
    from: usize,
    /// Where the result starts.
    to: usize,
    /// Where scratch starts.
    own: usize,
    pattern: u8,
    backward: bool,
}

impl Windows<'_> {
    /// Whether the layer's results are right and nothing around the windows has changed.
    fn check(&mut self, layer: &Layer<'_>) -> bool {
        let byte = self.pattern;
        self.x.fill(byte);
        self.y.fill(byte);
        self.scratch.fill(byte);
        let x = self.from..self.from + layer.x.len();
        let y = self.to..self.to + layer.y.len();
        let scratch = self.own..self.own + layer.scratch;
        self.x[x.clone()].copy_from_slice(layer.x);
        let from = &Cell::from_mut(&mut *self.x).as_slice_of_cells()[x.clone()];
        let to = &Cell::from_mut(&mut *self.y).as_slice_of_cells()[y.clone()];
        let own = &Cell::from_mut(&mut *self.scratch).as_slice_of_cells()[scratch.clone()];
        run(layer, from, to, own, self.backward);
        self.x[x.clone()] == *layer.x
            && self.y[y.clone()] == *layer.y
            && around(self.x, &x).all(|value| *value == byte)
            && around(self.y, &y).all(|value| *value == byte)
            && around(self.scratch, &scratch).all(|value| *value == byte)
    }

    /// Whether they are right over the argument too, at the least distance that the layer declares if it does.
    fn check_over(&mut self, layer: &Layer<'_>) -> bool {
        let Some(distance) = layer.distances[usize::from(self.backward)] else { return true };
        self.x.fill(self.pattern);
        self.scratch.fill(self.pattern);
        let (from, to) =
            if self.backward { (self.from, self.from + distance) } else { (self.from + distance, self.from) };
        let (x, y) = (from..from + layer.x.len(), to..to + layer.y.len());
        self.x[x.clone()].copy_from_slice(layer.x);
        let cells = Cell::from_mut(&mut *self.x).as_slice_of_cells();
        let own = &Cell::from_mut(&mut *self.scratch).as_slice_of_cells()[self.own..self.own + layer.scratch];
        run(layer, &cells[x], &cells[y.clone()], own, self.backward);
        self.x[y] == *layer.y
    }
}

/// Runs the layer in two parts, as a network may.
fn run(layer: &Layer<'_>, x: &[Cell<u8>], y: &[Cell<u8>], scratch: &[Cell<u8>], backward: bool) {
    let units = layer.units.clone();
    let middle = units.start.midpoint(units.end);
    let parts = [units.start..middle, middle..units.end];
    if backward {
        parts.into_iter().rev().for_each(|part| layer.run(x, y, scratch, Units::backward(part)));
    } else {
        parts.into_iter().for_each(|part| layer.run(x, y, scratch, Units::forward(part)));
    }
}

/// What lies outside `window`.
fn around<'a, T>(all: &'a [T], window: &core::ops::Range<usize>) -> impl Iterator<Item = &'a T> {
    all[..window.start].iter().chain(&all[window.end..])
}

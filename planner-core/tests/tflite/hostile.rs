//! No bytes make the reader panic, hang, or use much more memory than they have themselves.

use super::samples::samples;
use super::{import, import_bound, refusal, repeated, zoo};
use planner_core::import::{Bindings, Options, tflite};
use planner_core::source::Src;
use planner_core::{infer, steps};

/// Reads all there is to read; true if the file is accepted. What is accepted has types, and is lowered or refused.
fn accepted(bytes: &[u8]) -> bool {
    let accepted = |bindings: &Bindings| {
        let Ok(model) = import_bound(bytes, bindings) else { return false };
        let typed = infer::infer(model).unwrap_or_else(|e| panic!("accepted, but: {e}"));
        let _ = steps::lower(&typed);
        true
    };
    accepted(&quantized(bytes));
    accepted(&Bindings::default())
}

/// All inputs and outputs as integers.
fn quantized(bytes: &[u8]) -> Bindings {
    let bindings = Bindings::default();
    let options = Options { name: "net", src: Src(7), bindings: &bindings, is_reserved: |_| false };
    let shown = tflite::interface(bytes, &options).unwrap_or_default();
    Bindings::default().quantized(&shown, Src(8))
}

/// Numbers that mean something to a reader of offsets, lengths and codes.
const NUMBERS: [u32; 12] = [0, 1, 2, 3, 4, 8, 127, 128, 255, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

struct Random(u64);

impl Random {
    /// Below `bound`.
    fn next(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    /// `bytes` with a few of them changed.
    fn mutated(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.next(4) {
            let at = self.next(bytes.len());
            match self.next(4) {
                0 => bytes[at] ^= 1 << self.next(8),
                1 => bytes[at] = u8::try_from(self.next(256)).unwrap(),
                2 => {
                    let number = NUMBERS[self.next(NUMBERS.len())].to_le_bytes();
                    bytes[at..].iter_mut().zip(number).for_each(|(byte, new)| *byte = new);
                }
                _ => {
                    let from = self.next(bytes.len());
                    let word: Vec<u8> = bytes[from..].iter().take(4).copied().collect();
                    bytes[at..].iter_mut().zip(word).for_each(|(byte, new)| *byte = new);
                }
            }
        }
        bytes
    }
}

#[test]
fn samples_are_accepted_but_for_the_refused() {
    for (name, bytes) in samples() {
        assert_eq!(
            accepted(&bytes),
            name != "refused",
            "{name}: {}",
            import(&bytes).map_or_else(|e| e.to_string(), |_| String::new())
        );
    }
}

#[test]
fn every_truncation_is_an_error_or_a_model() {
    for (name, bytes) in samples() {
        let shortest = (0..=bytes.len()).find(|&len| accepted(&bytes[..len])).unwrap_or(bytes.len());
        assert!(shortest + 32 > bytes.len(), "{name}: {shortest} of {} bytes are accepted", bytes.len());
    }
}

#[test]
fn every_changed_byte_is_an_error_or_a_model() {
    for (_, bytes) in samples() {
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            for value in [bytes[at] ^ 1, bytes[at] ^ 0x80, 0xff] {
                changed[at] = value;
                accepted(&changed);
            }
        }
    }
}

#[test]
fn mutated_files_are_an_error_or_a_model() {
    let mut random = Random(7);
    for (name, bytes) in samples() {
        let survivors = (0..2000).filter(|_| accepted(&random.mutated(&bytes))).count();
        assert_eq!(survivors > 0, name != "refused", "{name}: {survivors} mutations are accepted");
    }
}

#[test]
fn damaged_public_models_are_an_error_or_a_model() {
    let mut random = Random(11);
    for path in zoo::files() {
        let bytes = std::fs::read(path).unwrap();
        for _ in 0..20 {
            let _ = import(&bytes[..random.next(bytes.len())]);
            let _ = import(&random.mutated(&bytes));
        }
    }
}

/// A sample with the four bytes at `at(bytes)` replaced.
fn patched(at: impl Fn(&[u8]) -> usize, value: u32) -> Vec<u8> {
    let mut bytes = samples()[0].1.clone();
    let at = at(&bytes);
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

fn root(bytes: &[u8]) -> usize {
    usize::try_from(u32::from_le_bytes(*bytes.first_chunk().unwrap())).unwrap()
}

/// Where the root's field `field` leads.
fn vector(bytes: &[u8], field: usize) -> usize {
    let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
    let half = |at: usize| usize::from(u16::from_le_bytes(*bytes[at..].first_chunk().unwrap()));
    let table = root(bytes);
    let vtable = table - usize::try_from(word(table)).unwrap();
    let place = table + half(vtable + 4 + 2 * field);
    place + usize::try_from(word(place)).unwrap()
}

#[test]
fn offsets_lead_nowhere_but_into_the_file() {
    for offset in [0, 1, 0x7fff_ffff, 0xffff_ffff] {
        assert!(refusal(&patched(|_| 0, offset)).contains("the model file cannot be read"));
    }
    // The root's vtable: before the file, behind it, the table itself.
    for back in [0x7fff_ffff, 0x8000_0000, 0x10_0000] {
        assert!(refusal(&patched(root, back)).contains("no valid vtable"));
    }
    assert!(!accepted(&patched(root, 0)));
    // The number of operator codes, subgraphs and buffers.
    for field in [1, 2, 4] {
        for len in [0x3fff_ffff, 0x4000_0000, 0xffff_ffff] {
            let text = refusal(&patched(|bytes| vector(bytes, field), len));
            assert!(text.contains("leads out of the file"), "{text}");
        }
    }
    // The first operator code and the first subgraph: nowhere, the vector itself, far away.
    for field in [1, 2] {
        for offset in [0, 4, 0xffff_fff0] {
            assert!(!accepted(&patched(|bytes| vector(bytes, field) + 4, offset)));
        }
    }
}

#[test]
fn bytes_that_are_used_over_and_over_are_refused() {
    assert!(accepted(&repeated::tensors(1, 10, 4)) && accepted(&repeated::chain(400)));
    for (count, name, rank) in [(200_000, 10, 4), (20_000, 20_000, 4), (20_000, 10, 5_000)] {
        assert!(refusal(&repeated::tensors(count, name, rank)).contains("over and over"));
    }
    for (count, code, inputs) in [(200_000, 19, 1), (20_000, 2, 5_000)] {
        assert!(refusal(&repeated::operators(count, code, inputs)).contains("over and over"));
    }
}

#[test]
fn lists_that_are_larger_than_the_file_are_refused() {
    assert!(accepted(&repeated::ranges(1)) && accepted(&repeated::places(1_000)));
    for file in [repeated::ranges(4_000), repeated::places(1_000_000)] {
        assert!(refusal(&file).contains("over and over"), "{}", refusal(&file));
    }
}

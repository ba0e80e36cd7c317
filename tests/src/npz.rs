//! `.npz` archives: arrays under names, as numpy saves them.

use planner_core::dtype::DType;
use planner_core::import::npy;
use std::collections::BTreeMap;

/// The arrays of an archive, by name without `.npy`.
pub struct Npz(BTreeMap<String, Vec<u8>>);

impl Npz {
    /// Unpacks an archive of fewer than 65,535 entries and 4 GiB.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    pub fn read(archive: &[u8]) -> Self {
        let u16 = |at: usize| usize::from(u16::from_le_bytes([archive[at], archive[at + 1]]));
        let u32 = |at: usize| u16(at) | u16(at + 2) << 16;
        // The directory's end is the last record; numpy leaves its comment empty.
        let end = archive.len() - 22;
        assert_eq!(&archive[end..end + 4], b"PK\x05\x06", "no end of a zip directory");
        let (count, mut at) = (u16(end + 10), u32(end + 16));
        let mut arrays = BTreeMap::new();
        for _ in 0..count {
            assert_eq!(&archive[at..at + 4], b"PK\x01\x02", "no entry of a zip directory");
            let (method, packed, local) = (u16(at + 10), u32(at + 20), u32(at + 42));
            let name = std::str::from_utf8(&archive[at + 46..at + 46 + u16(at + 28)]).expect("a name is text");
            let data = local + 30 + u16(local + 26) + u16(local + 28);
            let data = &archive[data..data + packed];
            let bytes = match method {
                0 => data.to_vec(),
                8 => miniz_oxide::inflate::decompress_to_vec(data).expect("an entry is deflated"),
                other => panic!("entry {name} is packed by method {other}"),
            };
            arrays.insert(name.trim_end_matches(".npy").to_owned(), bytes);
            at += 46 + u16(at + 28) + u16(at + 30) + u16(at + 32);
        }
        Self(arrays)
    }

    /// The elements of the array `name` as `dtype`, little-endian, if there is such an array.
    ///
    /// # Panics
    /// If it is damaged or of another type.
    #[must_use]
    pub fn get(&self, name: &str, dtype: DType) -> Option<Vec<u8>> {
        let array = npy::read(self.0.get(name)?).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        Some(array.convert(dtype).unwrap_or_else(|| panic!("{name} is not {dtype}")).into_owned())
    }
}

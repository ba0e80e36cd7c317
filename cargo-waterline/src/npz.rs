//! `.npz` archives: arrays under names, as numpy saves them (a zip file of `.npy` files).

use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::collections::BTreeMap;
use std::fmt;

/// Bytes of the record that ends the directory, without a comment.
const END_BYTES: usize = 22;

/// The `.npy` files of an archive, by name without the ending.
#[derive(Debug)]
pub(crate) struct Npz(BTreeMap<String, Vec<u8>>);

/// Why an archive cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NpzError {
    /// It has no directory where a zip file has one.
    NoArchive,
    /// A record leads out of the file.
    Truncated,
    /// An entry is packed in another way than stored or deflated.
    Method(String, u16),
    /// An entry does not unpack to what the directory says of it.
    Damaged(String),
}

impl fmt::Display for NpzError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoArchive => f.write_str("this is no .npz file"),
            Self::Truncated => f.write_str("the archive is truncated"),
            Self::Method(name, method) => write!(f, "`{name}` is packed by method {method}, wanted stored or deflated"),
            Self::Damaged(name) => write!(f, "`{name}` is damaged"),
        }
    }
}

impl std::error::Error for NpzError {}

impl Npz {
    /// Unpacks `archive`.
    ///
    /// # Errors
    /// Anything but a whole zip file of less than 4 GiB whose entries are stored or deflated.
    pub(crate) fn read(archive: &[u8]) -> Result<Self, NpzError> {
        let end = archive.len().checked_sub(END_BYTES).ok_or(NpzError::NoArchive)?;
        // A comment may follow the record.
        let end = (0..=end)
            .rev()
            .take(1 << 16)
            .find(|&at| archive[at..].starts_with(b"PK\x05\x06"))
            .ok_or(NpzError::NoArchive)?;
        let (count, mut at) = (u16_at(archive, end + 10)?, u32_at(archive, end + 16)?);
        let mut arrays = BTreeMap::new();
        for _ in 0..count {
            if bytes(archive, at, 4)? != b"PK\x01\x02" {
                return Err(NpzError::NoArchive);
            }
            let method = u16_at(archive, at + 10)?;
            let [packed, size, local] = [20, 24, 42].map(|field| u32_at(archive, at + field));
            let (packed, size, local) = (packed?, size?, local?);
            let checksum = u32_at(archive, at + 16)?;
            let [name, extra, comment] = [28, 30, 32].map(|field| u16_at(archive, at + field).map(usize::from));
            let (name, extra, comment) = (name?, extra?, comment?);
            let text = String::from_utf8_lossy(bytes(archive, at + 46, name)?).into_owned();
            let start =
                local + 30 + usize::from(u16_at(archive, local + 26)?) + usize::from(u16_at(archive, local + 28)?);
            let data = bytes(archive, start, packed)?;
            let unpacked = match method {
                0 => data.to_vec(),
                8 => decompress_to_vec_with_limit(data, size).map_err(|_| NpzError::Damaged(text.clone()))?,
                other => return Err(NpzError::Method(text, other)),
            };
            if unpacked.len() != size || crc32(&unpacked) != checksum {
                return Err(NpzError::Damaged(text));
            }
            arrays.insert(text.strip_suffix(".npy").unwrap_or(&text).to_owned(), unpacked);
            at += 46 + name + extra + comment;
        }
        Ok(Self(arrays))
    }

    /// The `.npy` file called `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }
}

/// The checksum of zip files: polynomial 0x04C11DB7, bits reversed.
fn crc32(bytes: &[u8]) -> usize {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & 0u32.wrapping_sub(crc & 1));
        }
    }
    usize::try_from(!crc).unwrap_or(usize::MAX)
}

fn bytes(archive: &[u8], at: usize, count: usize) -> Result<&[u8], NpzError> {
    archive.get(at..).and_then(|rest| rest.get(..count)).ok_or(NpzError::Truncated)
}

fn u16_at(archive: &[u8], at: usize) -> Result<u16, NpzError> {
    bytes(archive, at, 2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
}

fn u32_at(archive: &[u8], at: usize) -> Result<usize, NpzError> {
    let value = bytes(archive, at, 4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))?;
    usize::try_from(value).map_err(|_| NpzError::Truncated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planner_core::import::npy;
    use std::path::Path;

    fn archive() -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits/models/digits_int8.io.npz");
        std::fs::read(path).unwrap()
    }

    #[test]
    fn numpy_archives_are_read() {
        let npz = Npz::read(&archive()).unwrap();
        let array = npy::read(npz.get("in0_0").unwrap()).unwrap();
        assert_eq!(array.to_string(), "i8[1, 8, 8, 1]");
        assert_eq!(npz.get("in99_0"), None);
    }

    #[test]
    fn every_truncation_and_changed_byte_is_an_error_or_an_archive() {
        let archive = archive();
        for end in 0..archive.len() {
            assert!(Npz::read(&archive[..end]).is_err());
        }
        for at in 0..archive.len() {
            let mut changed = archive.clone();
            changed[at] ^= 0x81;
            let _ = Npz::read(&changed);
        }
    }
}

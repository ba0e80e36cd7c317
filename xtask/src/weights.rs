//! The weights' bytes as they stand in the models' files, to be found again in
//! the firmware.

use std::path::Path;

/// A tensor's name and its bytes.
pub(crate) type Tensor = (String, Vec<u8>);

/// Shorter tensors may stand in a file twice by chance.
const SHORTEST: usize = 64;

/// The tensors `*.w` of a safetensors file.
pub(crate) fn of_file(path: &Path) -> Result<Vec<Tensor>, String> {
    let file = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    read(&file).ok_or_else(|| format!("{}: not a safetensors file", path.display()))
}

/// Reads the header of our own files, which have neither escapes nor metadata.
fn read(file: &[u8]) -> Option<Vec<Tensor>> {
    let (length, rest) = file.split_first_chunk::<8>()?;
    let (header, data) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let mut header = std::str::from_utf8(header).ok()?;
    let mut tensors = Vec::new();
    while let Some((before, after)) = header.split_once(":{") {
        let name = before.rsplit('"').nth(1)?;
        let (fields, next) = after.split_once('}')?;
        let (_, offsets) = fields.split_once("\"data_offsets\":[")?;
        let (begin, end) = offsets.split_once(']')?.0.split_once(',')?;
        let bytes = data.get(begin.trim().parse().ok()?..end.trim().parse().ok()?)?;
        if name.strip_suffix(".w").is_some() && bytes.len() >= SHORTEST {
            tensors.push((name.to_owned(), bytes.to_vec()));
        }
        header = next;
    }
    Some(tensors)
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads_names_and_bytes() {
        let header = br#"{"a.w":{"dtype":"I8","shape":[64],"data_offsets":[1,65]},"a.b":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}}"#;
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend_from_slice(header);
        file.push(9);
        file.extend([7; 64]);
        assert_eq!(super::read(&file).unwrap(), [("a.w".to_owned(), vec![7; 64])]);
        assert!(super::read(&file[..100]).is_none());
    }
}

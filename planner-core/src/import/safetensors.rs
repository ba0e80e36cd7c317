//! `.safetensors`: named arrays after a JSON header.

use super::array::{Array, Element, ReadError};
use super::json::{self, Json};

/// A file of named arrays in the bytes `B`, its header checked.
#[derive(Debug)]
pub struct SafeTensors<B> {
    entries: Vec<Entry>,
    bytes: B,
    /// Where the data starts.
    start: usize,
}

#[derive(Debug)]
struct Entry {
    key: String,
    dtype: String,
    shape: Vec<usize>,
    from: usize,
    to: usize,
}

impl<B: AsRef<[u8]>> SafeTensors<B> {
    /// The arrays in the file `bytes`.
    ///
    /// # Errors
    /// A malformed header; offsets that leave the data, overlap or leave gaps.
    pub fn read(bytes: B) -> Result<Self, ReadError> {
        let file = bytes.as_ref();
        let Some((length, rest)) = file.split_first_chunk() else { return Err(ReadError::Magic("safetensors")) };
        let length = u64::from_le_bytes(*length);
        let (header, data) = usize::try_from(length)
            .ok()
            .and_then(|length| rest.split_at_checked(length))
            .ok_or(ReadError::Truncated { needed: length.saturating_add(8), got: file.len() })?;
        let Json::Object(fields) = json::parse(header)? else {
            return Err(ReadError::Header { at: 0, wanted: "an object" });
        };
        let entries: Vec<Entry> = fields
            .into_iter()
            .filter(|(key, _)| key != "__metadata__")
            .map(|(key, value)| entry(key, &value))
            .collect::<Result<_, _>>()?;
        check_offsets(&entries, data.len())?;
        let start = file.len() - data.len();
        Ok(Self { entries, bytes, start })
    }

    /// The names of the arrays, in the order of the header.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.key.as_str())
    }

    /// The array called `key`; `None` if there is none.
    ///
    /// # Errors
    /// An element type without whole bytes, or a length that does not agree with the shape.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Result<Array<'_>, ReadError>> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        let element = Element::ALL.into_iter().find(|(name, _, _)| *name == entry.dtype).map(|(_, _, element)| element);
        Some(element.ok_or_else(|| ReadError::Element(entry.dtype.clone())).and_then(|element| {
            let data = self.bytes.as_ref().get(self.start + entry.from..self.start + entry.to);
            Array::new(element, entry.shape.clone(), data.unwrap_or_default())
        }))
    }
}

fn entry(key: String, value: &Json) -> Result<Entry, ReadError> {
    let malformed = |problem| ReadError::Offsets { key: key.clone(), problem };
    let offsets = value.field("data_offsets").and_then(Json::sizes).unwrap_or_default();
    let &[from, to] = offsets.as_slice() else { return Err(malformed("are not two sizes")) };
    let (Some(Json::String(dtype)), Some(shape)) = (value.field("dtype"), value.field("shape").and_then(Json::sizes))
    else {
        return Err(malformed("stand without a dtype and a shape"));
    };
    Ok(Entry { dtype: dtype.clone(), shape, from, to, key })
}

/// The data is covered from its start to its end, each byte once.
fn check_offsets(entries: &[Entry], length: usize) -> Result<(), ReadError> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by_key(|entry| (entry.from, entry.to));
    let mut end = 0;
    for entry in sorted {
        let problem = if entry.from > entry.to {
            "end before they start"
        } else if entry.to > length {
            "lie outside the file: it is truncated or its header is wrong"
        } else if entry.from < end {
            "overlap those of another tensor"
        } else if entry.from > end {
            "leave a gap before them"
        } else {
            end = entry.to;
            continue;
        };
        return Err(ReadError::Offsets { key: entry.key.clone(), problem });
    }
    if end < length { Err(ReadError::Length { needed: end, got: length }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = u64::try_from(header.len()).unwrap().to_le_bytes();
        [length.as_slice(), header.as_bytes(), data].concat()
    }

    fn entry(dtype: &str, shape: &str, offsets: &str) -> String {
        format!(r#"{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}"#)
    }

    #[test]
    fn arrays_are_found_by_key() {
        let (a, b) = (entry("F32", "[1]", "[2,6]"), entry("I8", "[2]", "[0,2]"));
        let bytes = file(&format!(r#"{{"__metadata__":{{"by":"me"}},"a":{a},"b":{b}}}   "#), &[1, 2, 0, 0, 128, 63]);
        let tensors = SafeTensors::read(&bytes).unwrap();
        assert_eq!(tensors.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(tensors.get("a").unwrap().unwrap().convert(DType::F32).unwrap().as_ref(), 1f32.to_le_bytes());
        assert_eq!(tensors.get("b").unwrap().unwrap().convert(DType::I8).unwrap().as_ref(), [1, 2]);
        assert!(tensors.get("c").is_none());
    }

    #[test]
    fn defects_are_named() {
        let read = |entries: &[String]| {
            let fields: Vec<String> = entries.iter().enumerate().map(|(i, e)| format!(r#""t{i}":{e}"#)).collect();
            let bytes = file(&format!("{{{}}}", fields.join(",")), &[0; 8]);
            SafeTensors::read(&bytes).and_then(|t| t.get("t0").unwrap().map(|_| ())).unwrap_err().to_string()
        };
        let offsets = |problem: &str| format!("the data offsets of `t0` {problem}");
        assert_eq!(read(&[entry("F32", "[2]", "[8,0]")]), offsets("end before they start"));
        assert_eq!(
            read(&[entry("F32", "[2]", "[0,9]")]),
            offsets("lie outside the file: it is truncated or its header is wrong")
        );
        assert_eq!(read(&[entry("F32", "[1]", "[4,8]")]), offsets("leave a gap before them"));
        assert_eq!(
            read(&[entry("F32", "[2]", "[0,8]"), entry("F32", "[1]", "[4,8]")]),
            "the data offsets of `t1` overlap those of another tensor"
        );
        assert_eq!(read(&[entry("F32", "[1]", "[0,4]")]), "the data is too long: its type needs 4 bytes, there are 8");
        assert_eq!(
            read(&[entry("F32", "[3]", "[0,8]")]),
            "the data is truncated: its type needs 12 bytes, there are 8"
        );
        assert_eq!(read(&[entry("F4", "[16]", "[0,8]")]), "the element type `F4` cannot be read");
        assert_eq!(
            read(&[entry("F32", "[18446744073709551615,18446744073709551615]", "[0,8]")]),
            "the shape in the header is larger than any memory"
        );
        assert_eq!(
            SafeTensors::read(&u64::MAX.to_le_bytes()).unwrap_err(),
            ReadError::Truncated { needed: u64::MAX, got: 8 }
        );
    }
}

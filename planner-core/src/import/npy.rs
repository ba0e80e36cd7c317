//! `.npy`: one array (NEP 1 of numpy).

use super::array::{Array, Element, ReadError};
use crate::dtype::DType;

/// The array in the file `bytes`.
///
/// # Errors
/// Anything but a whole file of versions 1 to 3 in C order and little-endian.
pub fn read(bytes: &[u8]) -> Result<Array<'_>, ReadError> {
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY") else { return Err(ReadError::Magic(".npy")) };
    let truncated = |needed: u64| ReadError::Truncated { needed, got: bytes.len() };
    let (&[major, minor], rest) = rest.split_first_chunk::<2>().ok_or(truncated(10))?;
    let (length, rest) = match major {
        1 => rest.split_first_chunk().map(|(length, rest)| (u32::from(u16::from_le_bytes(*length)), rest)),
        2 | 3 => rest.split_first_chunk().map(|(length, rest)| (u32::from_le_bytes(*length), rest)),
        _ => return Err(ReadError::Version(major, minor)),
    }
    .ok_or(truncated(12))?;
    let start = bytes.len() - rest.len();
    let needed = u64::from(length) + u64::try_from(start).unwrap_or(0);
    let (header, data) =
        usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length)).ok_or(truncated(needed))?;
    let Header { descr, column_major, shape } = Reader { bytes: header, at: 0 }.header()?;
    let element = element(&descr)?;
    if column_major && shape.iter().filter(|&&dim| dim > 1).count() > 1 {
        return Err(ReadError::ColumnMajor);
    }
    Array::new(element, shape, data)
}

/// A file of the little-endian, row-major elements `bytes`, `dims` of them.
#[must_use]
pub fn write(dtype: DType, dims: &[usize], bytes: &[u8]) -> Vec<u8> {
    // Magic number, version and the length of the header come first; the data starts at a multiple of 64.
    const START: usize = 10;
    let descr = Element::ALL.iter().find(|(_, _, element)| element.name == dtype.name()).map_or("", |(_, npy, _)| npy);
    let order = if dtype.bytes() == 1 { '|' } else { '<' };
    let mut shape = dims.iter().fold(String::new(), |text, dim| text + &dim.to_string() + ", ");
    shape.truncate(shape.trim_end().len());
    let header = format!("{{'descr': '{order}{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    let width = (START + header.len() + 1).next_multiple_of(64) - START - 1;
    let header = format!("{header:width$}\n");
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes();
    [b"\x93NUMPY\x01\x00", length.as_slice(), header.as_bytes(), bytes].concat()
}

/// The element type that `descr` names, as `<f4`.
fn element(descr: &str) -> Result<Element, ReadError> {
    let unknown = || ReadError::Element(descr.into());
    let name = descr.get(1..).ok_or_else(unknown)?;
    let (_, _, element) = Element::ALL.into_iter().find(|(_, npy, _)| *npy == name).ok_or_else(unknown)?;
    match descr.as_bytes()[0] {
        b'<' | b'|' => Ok(element),
        b'>' if element.bytes == 1 => Ok(element),
        b'>' => Err(ReadError::BigEndian),
        _ => Err(unknown()),
    }
}

struct Header {
    descr: String,
    column_major: bool,
    shape: Vec<usize>,
}

/// Reads the literal of a Python dictionary that numpy writes.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn error(&self, wanted: &'static str) -> ReadError {
        ReadError::Header { at: self.at, wanted }
    }

    fn eat(&mut self, text: &str) -> bool {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let found = self.bytes[self.at..].starts_with(text.as_bytes());
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn expect(&mut self, text: &str, wanted: &'static str) -> Result<(), ReadError> {
        if self.eat(text) { Ok(()) } else { Err(self.error(wanted)) }
    }

    fn header(mut self) -> Result<Header, ReadError> {
        let (mut descr, mut column_major, mut shape) = (None, None, None);
        self.expect("{", "`{`")?;
        while !self.eat("}") {
            let name = self.string()?;
            self.expect(":", "`:`")?;
            match name.as_str() {
                "descr" => descr = Some(self.string()?),
                "fortran_order" => column_major = Some(self.truth()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return Err(self.error("one of descr, fortran_order, shape")),
            }
            if !self.eat(",") {
                self.expect("}", "`,` or `}`")?;
                break;
            }
        }
        if !self.eat("") || self.at < self.bytes.len() {
            return Err(self.error("the end"));
        }
        match (descr, column_major, shape) {
            (Some(descr), Some(column_major), Some(shape)) => Ok(Header { descr, column_major, shape }),
            _ => Err(self.error("descr, fortran_order and shape before it")),
        }
    }

    fn string(&mut self) -> Result<String, ReadError> {
        let quote = if self.eat("'") { b'\'' } else { self.expect("\"", "a string").map(|()| b'"')? };
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == quote).ok_or_else(|| self.error("a string"))?;
        self.at += length + 1;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    fn truth(&mut self) -> Result<bool, ReadError> {
        if self.eat("True") { Ok(true) } else { self.expect("False", "True or False").map(|()| false) }
    }

    fn tuple(&mut self) -> Result<Vec<usize>, ReadError> {
        self.expect("(", "`(`")?;
        let mut items = Vec::new();
        while !self.eat(")") {
            let digits = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
            let number = std::str::from_utf8(&self.bytes[self.at..self.at + digits]).ok().and_then(|t| t.parse().ok());
            items.push(number.ok_or_else(|| self.error("a dimension"))?);
            self.at += digits;
            if !self.eat(",") {
                self.expect(")", "`,` or `)`")?;
                break;
            }
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_are_read() {
        let bytes =
            file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }  \n", &[0, 0, 128, 63, 0, 0, 0, 64]);
        let array = read(&bytes).unwrap();
        assert_eq!(array.to_string(), "f32[2]");
        assert_eq!(array.convert(DType::F32).unwrap().as_ref(), &bytes[bytes.len() - 8..]);
        assert_eq!(array.convert(DType::I32), None);
        // One long dimension lies the same way in both orders.
        let column = file("{'descr': '<f2', 'fortran_order': True, 'shape': (1, 2, 1)}", &[0; 4]);
        assert_eq!(read(&column).unwrap().to_string(), "f16[1, 2, 1]");
        let scalar = file("{'descr':'|i1','fortran_order':True,'shape':()}", &[7]);
        assert_eq!(read(&scalar).unwrap().to_string(), "i8[]");
    }

    #[test]
    fn what_is_written_is_read() {
        for (dtype, dims) in [(DType::F32, &[2, 3][..]), (DType::I8, &[5]), (DType::I64, &[]), (DType::Bool, &[1, 1])] {
            let bytes: Vec<u8> =
                (0..dims.iter().product::<usize>() * dtype.bytes()).map(|i| i.to_le_bytes()[0]).collect();
            let file = write(dtype, dims, &bytes);
            let array = read(&file).unwrap();
            assert_eq!((array.shape(), array.convert(dtype).unwrap().as_ref()), (dims, &bytes[..]));
            assert!((file.len() - bytes.len()).is_multiple_of(64));
        }
    }

    #[test]
    fn halves_become_singles() {
        let bytes = file("{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2)}", &[0, 0x3c, 0, 0xc0]);
        let singles: Vec<u8> = [1.0f32, -2.0].into_iter().flat_map(f32::to_le_bytes).collect();
        assert_eq!(read(&bytes).unwrap().convert(DType::F32).unwrap().as_ref(), singles);
    }

    #[test]
    fn defects_are_named() {
        let error = |header: &str, data: &[u8]| read(&file(header, data)).unwrap_err();
        let with = |descr: &str, order: &str, shape: &str| {
            error(&format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}}}"), &[0; 8])
        };
        assert_eq!(with(">f4", "False", "(2,)"), ReadError::BigEndian);
        assert_eq!(with("<f2", "True", "(2, 2)"), ReadError::ColumnMajor);
        assert_eq!(with("<c8", "False", "(1,)"), ReadError::Element("<c8".into()));
        assert_eq!(with("<f4", "False", "(3,)"), ReadError::Length { needed: 12, got: 8 });
        assert_eq!(with("<f4", "False", "(18446744073709551615, 2)"), ReadError::Overflow);
        assert!(matches!(with("<f4", "False", "(99999999999999999999,)"), ReadError::Header { .. }));
        assert!(matches!(error("{'descr': [('x', '<f4')]}", &[]), ReadError::Header { .. }));
        assert_eq!(read(b"PK\x03\x04"), Err(ReadError::Magic(".npy")));
        assert_eq!(read(b"\x93NUMPY\x09\x00\x00\x00"), Err(ReadError::Version(9, 0)));
    }
}

//! The part of JSON that headers use, with bounded depth.

use super::array::ReadError;

/// Values nested deeper than this are refused.
const MAX_DEPTH: usize = 8;

/// A value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Json {
    /// A string.
    String(String),
    /// An integer without a sign.
    Size(usize),
    /// A list.
    Array(Vec<Json>),
    /// Fields in order, each name once.
    Object(Vec<(String, Json)>),
    /// Anything else: `null`, `true`, `-1.5`.
    Other,
}

impl Json {
    /// The field `name` of an object.
    pub(super) fn field(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The elements of a list of sizes.
    pub(super) fn sizes(&self) -> Option<Vec<usize>> {
        match self {
            Self::Array(items) => {
                items.iter().map(|item| if let Self::Size(size) = item { Some(*size) } else { None }).collect()
            }
            _ => None,
        }
    }
}

/// The one value in `bytes`; spaces may surround it.
pub(super) fn parse(bytes: &[u8]) -> Result<Json, ReadError> {
    let mut reader = Reader { bytes, at: 0 };
    let value = reader.value(0)?;
    reader.skip_space();
    if reader.at < bytes.len() {
        return Err(reader.error("the end"));
    }
    Ok(value)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn error(&self, wanted: &'static str) -> ReadError {
        ReadError::Header { at: self.at, wanted }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, wanted: &'static str) -> Result<(), ReadError> {
        if self.eat(byte) { Ok(()) } else { Err(self.error(wanted)) }
    }

    fn value(&mut self, depth: usize) -> Result<Json, ReadError> {
        self.skip_space();
        if depth == MAX_DEPTH {
            return Err(self.error("no deeper nesting"));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b'0'..=b'9' | b'-') => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, ReadError> {
        self.expect(b'{', "`{`")?;
        let mut fields: Vec<(String, Json)> = Vec::new();
        let mut names = std::collections::HashSet::new();
        if self.eat(b'}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.skip_space();
            let start = self.at;
            let name = self.string()?;
            if !names.insert(name.clone()) {
                return Err(ReadError::Header { at: start, wanted: "a name that is not yet used" });
            }
            self.expect(b':', "`:`")?;
            fields.push((name, self.value(depth + 1)?));
            if !self.eat(b',') {
                self.expect(b'}', "`,` or `}`")?;
                return Ok(Json::Object(fields));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, ReadError> {
        self.expect(b'[', "`[`")?;
        let mut items = Vec::new();
        if self.eat(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if !self.eat(b',') {
                self.expect(b']', "`,` or `]`")?;
                return Ok(Json::Array(items));
            }
        }
    }

    fn string(&mut self) -> Result<String, ReadError> {
        self.expect(b'"', "a string")?;
        let mut text = Vec::new();
        loop {
            let Some(byte) = self.peek() else { return Err(self.error("`\"`")) };
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(text).map_err(|_| self.error("UTF-8")),
                b'\\' => {
                    let c = self.escape()?;
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                0..0x20 => return Err(self.error("no control character")),
                byte => text.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        let Some(byte) = self.peek() else { return Err(self.error("an escape")) };
        self.at += 1;
        Ok(match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(byte),
            b'u' => {
                let unit = self.hex()?;
                let code = if (0xd800..0xdc00).contains(&unit) && self.bytes[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    match self.hex()? {
                        low @ 0xdc00..0xe000 => 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00),
                        _ => return Err(self.error("the second half of a character")),
                    }
                } else {
                    unit
                };
                char::from_u32(code).ok_or_else(|| self.error("a character"))?
            }
            _ => return Err(self.error("an escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, ReadError> {
        let digits = self.bytes.get(self.at..self.at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.error("four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }

    fn number(&mut self) -> Result<Json, ReadError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        if text.bytes().all(|b| b.is_ascii_digit()) {
            return text
                .parse()
                .map(Json::Size)
                .map_err(|_| ReadError::Header { at: start, wanted: "a number that fits into memory" });
        }
        match text.parse::<f64>() {
            Ok(_) => Ok(Json::Other),
            Err(_) => Err(ReadError::Header { at: start, wanted: "a number" }),
        }
    }

    fn word(&mut self) -> Result<Json, ReadError> {
        for word in ["null", "true", "false"] {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(Json::Other);
            }
        }
        Err(self.error("a value"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let json =
            parse(br#" {"a": [1, 20], "b": {"c": "x\"\u00e9\ud83d\ude00"}, "d": [-1.5e3, null, true]} "#).unwrap();
        assert_eq!(json.field("a").unwrap().sizes(), Some(vec![1, 20]));
        assert_eq!(json.field("b").unwrap().field("c"), Some(&Json::String("x\"é😀".into())));
        assert_eq!(json.field("d"), Some(&Json::Array(vec![Json::Other, Json::Other, Json::Other])));
    }

    #[test]
    fn what_is_not_json_is_refused() {
        let objects = ["{", "{'a':1}", "{1:2}", r#"{"a":1,}"#, r#"{"a":1,"a":2}"#, r#"{"a" 1}"#];
        let strings = ["\"", "\"\u{1}\"", r#""\x""#, r#""\u12""#, r#""\ud800""#, r#""\ud800\u0041""#];
        let others = ["", "[1,]", "[1] x", "--1", "nul", "99999999999999999999999", "[[[[[[[[[1]]]]]]]]]"];
        for text in objects.iter().chain(&strings).chain(&others) {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}

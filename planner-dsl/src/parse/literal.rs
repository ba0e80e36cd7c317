//! Numbers and strings from the text of their tokens.

/// What a literal says.
#[derive(Debug, PartialEq)]
pub(super) enum Value {
    /// An integer, and the letters that follow it without a space: `4KiB`.
    Int(Option<i64>, String),
    /// A number with a point or exponent, without underscores.
    Float(String),
    /// A string.
    Str(String),
    /// A character, a byte string, ..
    Other,
}

/// The value of the literal `text`.
pub(super) fn value(text: &str) -> Value {
    match text.as_bytes().first() {
        Some(b'0'..=b'9' | b'-') => number(text),
        Some(b'"' | b'r') => string(text).map_or(Value::Other, Value::Str),
        _ => Value::Other,
    }
}

fn number(text: &str) -> Value {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    if radix == 10 && is_float(digits) {
        let digits = digits.strip_suffix("f32").unwrap_or(digits).replace('_', "");
        // What is left of another suffix does not parse.
        let is_number = digits.parse::<f64>().is_ok();
        return if is_number { Value::Float(format!("{sign}{digits}")) } else { Value::Other };
    }
    let end = digits.find(|c: char| !c.is_digit(radix) && c != '_').unwrap_or(digits.len());
    let value = i64::from_str_radix(&format!("{sign}{}", digits[..end].replace('_', "")), radix).ok();
    Value::Int(value, digits[end..].to_string())
}

fn is_float(digits: &str) -> bool {
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let exponent = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit() || "+-_".contains(c));
    rest.starts_with('.') || rest == "f32" || rest.strip_prefix(['e', 'E']).is_some_and(exponent)
}

fn string(text: &str) -> Option<String> {
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        return Some(raw.get(hashes + 1..raw.len().checked_sub(hashes + 1)?)?.to_string());
    }
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            '0' => out.push('\0'),
            'x' => {
                let code: String = chars.by_ref().take(2).collect();
                out.push(char::from(u8::from_str_radix(&code, 16).ok()?));
            }
            'u' => {
                let code: String = chars.by_ref().skip(1).take_while(|&c| c != '}').filter(|&c| c != '_').collect();
                out.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
            }
            '\n' => {
                let rest = chars.as_str().trim_start();
                chars = rest.chars();
            }
            c => out.push(c),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_rust_writes_them() {
        assert_eq!(value("1_000"), Value::Int(Some(1000), String::new()));
        assert_eq!(value("0xff"), Value::Int(Some(255), String::new()));
        assert_eq!(value("4KiB"), Value::Int(Some(4), "KiB".into()));
        assert_eq!(value("99999999999999999999"), Value::Int(None, String::new()));
        for (text, float) in [("0.5", "0.5"), ("1.", "1."), ("1e-3", "1e-3"), ("2_0.5f32", "20.5"), ("3f32", "3")] {
            assert_eq!(value(text), Value::Float(float.into()));
        }
        assert_eq!(value("1.0f64"), Value::Other);
    }

    #[test]
    fn strings_lose_their_escapes() {
        let string = |text: &str| Value::Str(text.into());
        assert_eq!(value(r#""a\"b\\c\u{e9}\x41\n""#), string("a\"b\\c\u{e9}A\n"));
        assert_eq!(value(r##"r#"a"b\"#"##), string(r#"a"b\"#));
        assert_eq!(value("r\"\""), string(""));
        assert_eq!(value("b\"x\""), Value::Other);
        assert_eq!(value("'x'"), Value::Other);
    }
}

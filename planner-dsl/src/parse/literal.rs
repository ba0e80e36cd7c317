//! Literals: numbers, and files with the key of a tensor.

use super::cursor::{Cursor, Result};
use crate::ast::ExprKind;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::source::Src;
use proc_macro2::Delimiter;
use syn::Lit;

/// The literal at the cursor, which stands where `wanted` is.
pub(super) fn literal(cursor: &mut Cursor<'_>, wanted: &str) -> Result<ExprKind> {
    let src = cursor.src();
    let error = |text| Err(Diagnostic::new(Kind::Syntax, src, text));
    let kind = match cursor.literal() {
        Some(Lit::Str(path)) if path.suffix().is_empty() => return file(cursor, path.value()),
        Some(Lit::Float(float)) if matches!(float.suffix(), "" | "f32") => {
            ExprKind::Float(float.base10_digits().into())
        }
        Some(Lit::Int(int)) => match (int.suffix(), int.base10_parse()) {
            ("f32", _) => ExprKind::Float(int.base10_digits().into()),
            ("", Ok(value)) => ExprKind::Int(value),
            ("", Err(_)) => return error(format!("{int} does not fit into 64 bits")),
            (suffix, _) => return error(format!("a number has no suffix here: `{suffix}`")),
        },
        _ => return Err(cursor.expected(wanted)),
    };
    cursor.next();
    Ok(kind)
}

/// An integer and a unit that follows it without a space, `4KiB`.
pub(super) fn quantity(cursor: &Cursor<'_>) -> Option<(i64, String)> {
    match cursor.literal()? {
        Lit::Int(int) if !matches!(int.suffix(), "" | "f32") => Some((int.base10_parse().ok()?, int.suffix().into())),
        _ => None,
    }
}

/// `"path"` or `"path"["key"]`
fn file(cursor: &mut Cursor<'_>, path: String) -> Result<ExprKind> {
    let path_src = cursor.src();
    cursor.next();
    let key = match cursor.eat_group(Delimiter::Bracket) {
        Some(group) => Some(key(&mut cursor.enter(&group)?)?),
        None => None,
    };
    Ok(ExprKind::File { path, path_src, key })
}

/// `"key"`
fn key(cursor: &mut Cursor<'_>) -> Result<(String, Src)> {
    let src = cursor.src();
    match cursor.literal() {
        Some(Lit::Str(key)) if key.suffix().is_empty() => {
            cursor.next();
            cursor.finish("`]`")?;
            Ok((key.value(), src))
        }
        _ => Err(cursor.expected("the key of a tensor in the file, a string")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spans::Spans;

    /// What the literal `text` is.
    fn kind(text: &str) -> String {
        let mut spans = Spans::default();
        match literal(&mut Cursor::new(text.parse().unwrap(), &mut spans), "a literal") {
            Ok(ExprKind::Int(value)) => format!("{value}"),
            Ok(ExprKind::Float(digits)) => format!("float {digits}"),
            Ok(ExprKind::File { path, .. }) => format!("file {path}"),
            Ok(other) => format!("{other:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn numbers_are_read_as_rust_writes_them() {
        assert_eq!(kind("1_000"), "1000");
        assert_eq!(kind("0xff"), "255");
        assert_eq!(kind("4KiB"), "a number has no suffix here: `KiB`");
        assert_eq!(kind("99999999999999999999"), "99999999999999999999 does not fit into 64 bits");
        for (text, float) in [("0.5", "0.5"), ("1.", "1."), ("1e-3", "1e-3"), ("2_0.5f32", "20.5"), ("3f32", "3")] {
            assert_eq!(kind(text), format!("float {float}"));
        }
        assert_eq!(kind("1.0f64"), "expected a literal\n  got: `1.0f64`");
    }

    #[test]
    fn strings_lose_their_escapes() {
        assert_eq!(kind(r#""a\"b\\c\u{e9}\x41\n""#), "file a\"b\\c\u{e9}A\n");
        assert_eq!(kind(r##"r#"a"b\"#"##), r#"file a"b\"#);
        for text in ["b\"x\"", "'x'", "\"x\"y"] {
            assert_eq!(kind(text), format!("expected a literal\n  got: `{text}`"));
        }
    }
}

//! The lines of JSON that the firmware and the reference program print: one
//! flat object a line, numbers and strings without escapes.

/// One line.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a>(&'a str);

impl<'a> Record<'a> {
    /// All records among the lines of a text.
    pub(crate) fn all(text: &'a str) -> impl Iterator<Item = Self> {
        text.lines().filter(|line| line.starts_with('{')).map(Self)
    }

    fn value(self, key: &str) -> Option<&'a str> {
        let at = self.0.find(&format!("\"{key}\":"))?;
        Some(&self.0[at + key.len() + 3..])
    }

    /// The string under a key.
    pub(crate) fn text(self, key: &str) -> Result<&'a str, String> {
        self.value(key)
            .and_then(|rest| rest.strip_prefix('"'))
            .and_then(|rest| rest.split_once('"'))
            .map(|(text, _)| text)
            .ok_or_else(|| format!("no text `{key}` in {}", self.0))
    }

    /// The number under a key.
    pub(crate) fn number(self, key: &str) -> Result<u64, String> {
        self.value(key)
            .and_then(|rest| rest.split([',', '}']).next())
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| format!("no number `{key}` in {}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::Record;

    #[test]
    fn reads_what_the_firmware_prints() {
        let text = "noise\n{\"model\":\"a\",\"stack\":12,\"output\":\"00ff\"}\n";
        let record = Record::all(text).next().unwrap();
        assert_eq!(record.text("model"), Ok("a"));
        assert_eq!(record.number("stack"), Ok(12));
        assert_eq!(record.text("output"), Ok("00ff"));
        assert!(record.number("model").is_err());
        assert!(record.text("missing").is_err());
    }
}

//! A locked plan from text.

use super::{FORM, Lock, LockError, LockedBuffer, LockedPlan};
use crate::variants::Choice;
use std::str::FromStr;

/// Characters of a line that a message shows.
const MOST_SHOWN: usize = 60;

impl Lock {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`LockError::Malformed`].
    pub fn read(bytes: &[u8]) -> Result<Self, LockError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            LockError::Malformed { line, got: "bytes that are no text".into(), wanted: "UTF-8".into() }
        })?;
        let mut lines = Lines { text, line: 0 };
        lines.expect(FORM)?;
        let mut lock = Self::new(&lines.value("network")?);
        let mut known: Vec<String> = Vec::new();
        while let Some(machines) = lines.machines()? {
            for machine in &machines {
                if known.contains(machine) {
                    return Err(lines.wrong(Some(machine), "each machine once"));
                }
                known.push(machine.clone());
            }
            lock.plans.push(lines.plan(machines)?);
        }
        Ok(lock)
    }
}

/// `name offset size`; the name may have spaces in it.
fn buffer(text: &str) -> Option<LockedBuffer> {
    let (rest, size) = text.rsplit_once(' ')?;
    let (name, offset) = rest.rsplit_once(' ')?;
    Some(LockedBuffer { name: name.to_owned(), offset: offset.parse().ok()?, size: size.parse().ok()? })
}

/// The lines that say something.
struct Lines<'a> {
    text: &'a str,
    /// The number of the last one.
    line: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        while !self.text.is_empty() {
            let (line, rest) = self.text.split_once('\n').unwrap_or((self.text, ""));
            (self.text, self.line) = (rest, self.line + 1);
            let line = line.trim_end();
            if !line.is_empty() && !line.starts_with('#') {
                return Some(line);
            }
        }
        self.line += 1;
        None
    }

    fn wrong(&self, got: Option<&str>, wanted: &str) -> LockError {
        let got = got.map_or_else(
            || "the end of the file".to_owned(),
            |text| format!("`{}`", text.chars().take(MOST_SHOWN).collect::<String>()),
        );
        LockError::Malformed { line: self.line, got, wanted: wanted.to_owned() }
    }

    fn expect(&mut self, wanted: &str) -> Result<(), LockError> {
        match self.next() {
            Some(got) if got == wanted => Ok(()),
            got => Err(self.wrong(got, &format!("`{wanted}`"))),
        }
    }

    /// What follows `key` on the next line.
    fn value(&mut self, key: &str) -> Result<String, LockError> {
        let got = self.next();
        match got.and_then(|text| text.split_once(' ')) {
            Some((word, value)) if word == key => Ok(value.to_owned()),
            _ => Err(self.wrong(got, &format!("`{key}` and a value"))),
        }
    }

    /// The machines of the next plan, if there is one.
    fn machines(&mut self) -> Result<Option<Vec<String>>, LockError> {
        let got = self.next();
        match got.map(|text| text.split_once(' ')) {
            None => Ok(None),
            Some(Some(("machines", names))) => Ok(Some(names.split_whitespace().map(str::to_owned).collect())),
            Some(_) => Err(self.wrong(got, "`machines` and their names, or the end of the file")),
        }
    }

    /// The plan of `machines`, up to its `end`.
    fn plan(&mut self, machines: Vec<String>) -> Result<LockedPlan, LockError> {
        let mut plan = LockedPlan {
            machines,
            hash: self.hash()?,
            order: self.value("order")?,
            layout: self.value("layout")?,
            arena: self.number("arena")?,
            steps: Vec::new(),
            kernels: Choice::new(),
            sharing: Vec::new(),
            buffers: Vec::new(),
        };
        loop {
            let got = self.next();
            match got.and_then(|text| text.split_once(' ')) {
                Some(("step", name)) => plan.steps.push(name.to_owned()),
                Some(("kernel", kernel)) => {
                    let kernel = kernel.split_once(' ').filter(|(_, step)| !plan.kernels.contains_key(*step));
                    let (name, step) = kernel.ok_or_else(|| self.wrong(got, "`kernel`, its name, another step"))?;
                    plan.kernels.insert(step.to_owned(), name.to_owned());
                }
                Some(("share", rule)) => plan.sharing.push(rule.to_owned()),
                Some(("buffer", buffer)) => {
                    let buffer = self::buffer(buffer);
                    plan.buffers.push(buffer.ok_or_else(|| self.wrong(got, "`buffer`, a name, an offset, a size"))?);
                }
                _ if got == Some("end") => return Ok(plan),
                _ => return Err(self.wrong(got, "`step`, `kernel`, `share`, `buffer` or `end`")),
            }
        }
    }

    fn number(&mut self, key: &str) -> Result<usize, LockError> {
        let value = self.value(key)?;
        usize::from_str(&value).map_err(|_| self.wrong(Some(&value), "a number of bytes"))
    }

    fn hash(&mut self) -> Result<u64, LockError> {
        let value = self.value("hash")?;
        u64::from_str_radix(&value, 16).map_err(|_| self.wrong(Some(&value), "16 hexadecimal digits"))
    }
}

//! A problem from text.

use super::Allocation;
use crate::diagnostic::{Diagnostic, Diagnostics, Kind, did_you_mean};
use crate::layout::search::{Buffer, Instance, Life};
use crate::source::Src;
use std::collections::BTreeMap;
use std::num::{IntErrorKind, ParseIntError};

/// Defects after which reading ends.
const MOST_DEFECTS: usize = 20;

/// Characters of a field that a message shows.
const MOST_SHOWN: usize = 60;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Id,
    Lower,
    Upper,
    Size,
    Alignment,
    Gaps,
    Offset,
}

/// Names of columns; the first of each is the one that is written.
const NAMES: [(&str, Column); 12] = [
    ("id", Column::Id),
    ("lower", Column::Lower),
    ("upper", Column::Upper),
    ("size", Column::Size),
    ("alignment", Column::Alignment),
    ("gaps", Column::Gaps),
    ("offset", Column::Offset),
    ("buffer", Column::Id),
    ("buffer_id", Column::Id),
    ("start", Column::Lower),
    ("begin", Column::Lower),
    (END, Column::Upper),
];

/// The name of [`Column::Upper`] whose steps are the last ones, not one more.
const END: &str = "end";

const REQUIRED: [Column; 4] = [Column::Id, Column::Lower, Column::Upper, Column::Size];

/// A field, and where it is.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    /// The line up to the field.
    before: &'a str,
    line: u32,
}

impl Field<'_> {
    fn wrong(&self, kind: Kind, message: &str) -> Diagnostic {
        let column = 1 + self.before.chars().count();
        let message = format!("line {}, column {column}: {message}", self.line);
        let text: String = self.text.chars().take(MOST_SHOWN).collect();
        Diagnostic::new(kind, Src(self.line), message).got(format!("`{text}`"))
    }

    fn number(&self) -> Result<usize, Diagnostic> {
        self.number_in(self.text)
    }

    /// A number that is a part of the field.
    fn number_in(&self, text: &str) -> Result<usize, Diagnostic> {
        text.trim().parse().map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => self.wrong(Kind::Dimension, "the number is too large"),
            _ => self.wrong(Kind::Syntax, "not a whole number of at least 0"),
        })
    }
}

/// The columns of a file.
struct Header {
    columns: Vec<Column>,
    /// Steps that end something are the last ones, not one more.
    ends_included: bool,
}

/// Reads a problem.
///
/// # Errors
/// What is wrong, with line and column, the line as [`Src`]; at most 20 defects. [`Kind::Syntax`] for what is no table,
/// number or gap, [`Kind::UnknownName`] for missing and unknown columns, [`Kind::DuplicateName`] for columns and
/// buffers, [`Kind::Attribute`] and [`Kind::Dimension`] as in [`Instance::new`].
pub fn read(bytes: &[u8]) -> Result<Allocation, Diagnostics> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Diagnostics::from(Diagnostic::new(Kind::Syntax, Src(line), format!("line {line}: not UTF-8 text")))
    })?;
    let lines = (1..).zip(text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)));
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let Some((line, names)) = lines.next() else {
        let diagnostic = Diagnostic::new(Kind::Syntax, Src(1), "line 1: there is nothing in the file");
        return Err(diagnostic.help("the first line names the columns").into());
    };
    let header = Header::read(line, names)?;

    let mut diagnostics = Diagnostics::default();
    let (mut ids, mut buffers, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for (line, text) in lines {
        match header.row(line, text) {
            Ok((id, buffer)) => {
                if let Some(first) = seen.insert(id.text, line) {
                    let diagnostic = id.wrong(Kind::DuplicateName, "two buffers have the same id");
                    diagnostics.push(diagnostic.info(format!("the other one is on line {first}")));
                }
                ids.push(id.text.to_owned());
                buffers.push(buffer);
                rows.push(line);
            }
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
        if diagnostics.0.len() >= MOST_DEFECTS {
            break;
        }
    }
    let buffers = diagnostics.barrier(buffers)?;
    let instance = Instance::new(buffers).map_err(|Diagnostics(diagnostics)| {
        let with_line = |diagnostic: Diagnostic| {
            let line = rows.get(diagnostic.src.0 as usize).copied().unwrap_or(line);
            Diagnostic { src: Src(line), message: format!("line {line}: {}", diagnostic.message), ..diagnostic }
        };
        Diagnostics(diagnostics.into_iter().take(MOST_DEFECTS).map(with_line).collect())
    })?;
    Ok(Allocation { ids, instance })
}

impl Header {
    fn read(line: u32, text: &str) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let mut columns = Vec::new();
        for field in fields(line, text) {
            let Some((_, column)) = NAMES.iter().find(|(name, _)| *name == field.text) else {
                let names = NAMES.map(|(name, _)| name);
                let diagnostic = field.wrong(Kind::UnknownName, "no such column");
                diagnostics.push(match did_you_mean(field.text, names) {
                    Some(name) => diagnostic.help(format!("did you mean `{name}`?")),
                    None => diagnostic.wanted(names.join(", ")),
                });
                continue;
            };
            if columns.contains(column) {
                diagnostics.push(field.wrong(Kind::DuplicateName, "a second column of the same meaning"));
            }
            columns.push(*column);
        }
        // A column of an unknown name may be the one that is missing.
        let missing = REQUIRED.iter().filter(|column| !columns.contains(column));
        for missing in missing.take(if diagnostics.0.is_empty() { REQUIRED.len() } else { 0 }) {
            let name = NAMES.iter().find(|(_, column)| column == missing).map_or("", |(name, _)| name);
            let message = format!("line {line}: there is no column `{name}`");
            let diagnostic = Diagnostic::new(Kind::UnknownName, Src(line), message);
            diagnostics.push(diagnostic.help("the first line names the columns"));
        }
        let ends_included = fields(line, text).any(|field| field.text == END);
        diagnostics.0.truncate(MOST_DEFECTS);
        diagnostics.barrier(Self { columns, ends_included })
    }

    /// The buffer on a line, and its name.
    fn row<'a>(&self, line: u32, text: &'a str) -> Result<(Field<'a>, Buffer), Diagnostic> {
        let count = text.split(',').count();
        if count != self.columns.len() {
            let message = format!("line {line}: not as many fields as columns");
            return Err(Diagnostic::new(Kind::Syntax, Src(line), message)
                .got(count.to_string())
                .wanted(self.columns.len().to_string()));
        }
        let field = |column| self.columns.iter().zip(fields(line, text)).find(|(other, _)| **other == column);
        let field = |column| field(column).map_or(Field { text: "", before: "", line }, |(_, field)| field);
        let [id, lower, upper, size] = REQUIRED.map(field);
        if id.text.is_empty() {
            return Err(id.wrong(Kind::Syntax, "the id is empty"));
        }
        let (first, size) = (lower.number()?, size.number()?);
        let end = self.end(&upper, upper.text)?;
        if end <= first {
            return Err(upper
                .wrong(Kind::Attribute, "the buffer is never in use")
                .wanted(format!("more than {first}")));
        }
        let optional = |column| Some(field(column)).filter(|field| !field.text.is_empty());
        let alignment = optional(Column::Alignment);
        let mut buffer = Buffer::new(size, first, end - 1);
        buffer.align = alignment.map_or(Ok(1), |field| field.number())?;
        if let Some(field) = alignment.filter(|_| buffer.align == 0) {
            return Err(field.wrong(Kind::Attribute, "the alignment is 0").help("1 asks for nothing"));
        }
        buffer.pinned = optional(Column::Offset).map(|field| field.number()).transpose()?;
        if let Some(field) = optional(Column::Gaps) {
            buffer.lives = self.lives(&field, size, first, end)?;
        }
        Ok((id, buffer))
    }

    /// One more than the last step, from a text that ends something.
    fn end(&self, field: &Field<'_>, text: &str) -> Result<usize, Diagnostic> {
        let end = field.number_in(text)?;
        if !self.ends_included {
            return Ok(end);
        }
        end.checked_add(1).ok_or_else(|| field.wrong(Kind::Dimension, "the number is too large"))
    }

    /// What the gaps in `field` leave of a buffer's life from `first` to before `end`.
    fn lives(&self, field: &Field<'_>, size: usize, first: usize, end: usize) -> Result<Vec<Life>, Diagnostic> {
        let malformed = || {
            field
                .wrong(Kind::Syntax, "not a list of gaps")
                .wanted("first and end, `7-9`, or with bytes in use, `7-9@0:64`")
        };
        let mut gaps = Vec::new();
        for gap in field.text.split_whitespace() {
            let (steps, bytes) = gap.split_once('@').map_or((gap, None), |(steps, bytes)| (steps, Some(bytes)));
            let (from, to) = steps.split_once('-').ok_or_else(malformed)?;
            let (from, to) = (field.number_in(from)?, self.end(field, to)?);
            let bytes = match bytes {
                Some(bytes) => {
                    let (low, high) = bytes.split_once(':').ok_or_else(malformed)?;
                    Some((field.number_in(low)?, field.number_in(high)?))
                }
                None => None,
            };
            if from >= to || from < first || to > end {
                let diagnostic = field.wrong(Kind::Attribute, "a gap is empty or outside of the buffer's life");
                return Err(diagnostic.wanted(format!("within {first} to {end}")));
            }
            if bytes.is_some_and(|(low, high)| low > high || high > size) {
                let diagnostic = field.wrong(Kind::Attribute, "the bytes in use are not within the buffer");
                return Err(diagnostic.wanted(format!("within 0 to {size}")));
            }
            gaps.push((from, to, bytes));
        }
        gaps.sort_unstable();
        let mut lives: Vec<Life> = Vec::new();
        let mut use_from = |first, end, (low, high)| match lives.last_mut() {
            // A gap in which as much is in use as beside it is none.
            Some(life) if life.last + 1 == first && (life.low, life.high) == (low, high) => life.last = end - 1,
            _ => lives.push(Life { first, last: end - 1, low, high }),
        };
        let mut next = first;
        for (from, to, bytes) in gaps {
            if from < next {
                return Err(field.wrong(Kind::Attribute, "two gaps overlap"));
            }
            if next < from {
                use_from(next, from, (0, size));
            }
            if let Some(bytes) = bytes {
                use_from(from, to, bytes);
            }
            next = to;
        }
        if next < end {
            use_from(next, end, (0, size));
        }
        Ok(lives)
    }
}

/// The fields of a line.
fn fields(line: u32, text: &str) -> impl Iterator<Item = Field<'_>> {
    let mut start = 0;
    text.split(',').map(move |field| {
        let before = &text[..start + field.len() - field.trim_start().len()];
        start += field.len() + 1;
        Field { text: field.trim(), before, line }
    })
}

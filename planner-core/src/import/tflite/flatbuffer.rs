//! A reader of the flatbuffer format that checks every offset before it follows it.
//!
//! A flatbuffer is a graph of tables that point forward to vectors, strings
//! and further tables; a table's fields are found through a *vtable* that
//! tables may share. Nothing here recurses and nothing is copied: how deep a
//! file can lead is decided by the schema that is read, and how often a file
//! may lead to the same bytes by a budget that every access is charged to.

use std::cell::Cell;
use std::fmt;

/// What a file may cost for each of its bytes.
const COST_PER_BYTE: usize = 8;
/// What any file may cost, however small.
const COST_OF_ANY: usize = 1 << 20;
/// What opening a table costs.
const COST_OF_TABLE: usize = 16;

/// Why bytes are no flatbuffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Defect {
    /// Something that should begin at this byte does not fit into the file.
    Outside(usize),
    /// The table at this byte has no usable vtable.
    VTable(usize),
    /// A field of the table at this byte lies outside of it.
    Field(usize),
    /// The string at this byte is not UTF-8.
    Text(usize),
    /// A field of the table at this byte holds a value that its enumeration does not have.
    Enumeration(usize, u8),
    /// The same bytes are used over and over.
    Budget,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(at) => write!(f, "an offset leads out of the file, to byte {at}"),
            Self::VTable(at) => write!(f, "the table at byte {at} has no valid vtable"),
            Self::Field(at) => write!(f, "the table at byte {at} has a field outside of itself"),
            Self::Text(at) => write!(f, "the string at byte {at} is not UTF-8"),
            Self::Enumeration(at, value) => write!(f, "the table at byte {at} has a field of unknown value {value}"),
            Self::Budget => f.write_str("its parts refer to the same bytes over and over"),
        }
    }
}

/// A file, and what reading it may still cost.
#[derive(Debug)]
pub(super) struct Flatbuffer<'a> {
    bytes: &'a [u8],
    budget: Cell<usize>,
}

impl<'a> Flatbuffer<'a> {
    /// `bytes` as a file.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let budget = bytes.len().saturating_mul(COST_PER_BYTE).saturating_add(COST_OF_ANY);
        Self { bytes, budget: Cell::new(budget) }
    }

    /// The four letters that name the schema.
    pub(super) fn identifier(&self) -> Option<[u8; 4]> {
        self.read(4).ok()
    }

    /// The table that all others hang from.
    pub(super) fn root(&'a self) -> Result<Table<'a>, Defect> {
        self.table(self.follow(0)?)
    }

    /// A table without fields, all of which therefore have their defaults.
    pub(super) fn empty_table(&'a self) -> Table<'a> {
        Table { file: self, at: 0, len: 0, vtable: 0, vtable_len: 0 }
    }

    /// Takes `cost` bytes of memory, or as much work, from the budget.
    pub(super) fn charge(&self, cost: usize) -> Result<(), Defect> {
        self.budget.set(self.budget.get().checked_sub(cost).ok_or(Defect::Budget)?);
        Ok(())
    }

    fn slice(&self, at: usize, len: usize) -> Result<&'a [u8], Defect> {
        at.checked_add(len).and_then(|end| self.bytes.get(at..end)).ok_or(Defect::Outside(at))
    }

    fn read<const N: usize>(&self, at: usize) -> Result<[u8; N], Defect> {
        self.slice(at, N)?.first_chunk().copied().ok_or(Defect::Outside(at))
    }

    fn u16(&self, at: usize) -> Result<usize, Defect> {
        Ok(usize::from(u16::from_le_bytes(self.read(at)?)))
    }

    fn u32(&self, at: usize) -> Result<usize, Defect> {
        usize::try_from(u32::from_le_bytes(self.read(at)?)).map_err(|_| Defect::Outside(at))
    }

    /// Where the offset at `at` leads; offsets count from themselves, forward.
    fn follow(&self, at: usize) -> Result<usize, Defect> {
        match self.u32(at)? {
            0 => Err(Defect::Outside(at)),
            offset => at.checked_add(offset).ok_or(Defect::Outside(at)),
        }
    }

    fn table(&'a self, at: usize) -> Result<Table<'a>, Defect> {
        self.charge(COST_OF_TABLE)?;
        let back = i64::from(i32::from_le_bytes(self.read(at)?));
        let vtable = i64::try_from(at).ok().and_then(|at| usize::try_from(at - back).ok()).ok_or(Defect::VTable(at))?;
        let (vtable_len, len) =
            self.u16(vtable).and_then(|v| Ok((v, self.u16(vtable + 2)?))).map_err(|_| Defect::VTable(at))?;
        if vtable_len < 4 || vtable_len % 2 != 0 || self.slice(vtable, vtable_len).is_err() {
            return Err(Defect::VTable(at));
        }
        if len < 4 || self.slice(at, len).is_err() {
            return Err(Defect::Outside(at));
        }
        Ok(Table { file: self, at, len, vtable, vtable_len })
    }

    fn vector(&self, at: usize, element: usize) -> Result<&'a [u8], Defect> {
        let len = self.u32(at)?.checked_mul(element).ok_or(Defect::Outside(at))?;
        let bytes = self.slice(at + 4, len)?;
        self.charge(len)?;
        Ok(bytes)
    }
}

/// A table. Fields are called by their number in the schema, in which a union counts twice: tag, then value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    file: &'a Flatbuffer<'a>,
    at: usize,
    len: usize,
    vtable: usize,
    vtable_len: usize,
}

impl<'a> Table<'a> {
    /// The file it stands in.
    pub(super) fn file(&self) -> &'a Flatbuffer<'a> {
        self.file
    }

    /// Where the `size` bytes of `field` stand, if the table has it.
    fn field(&self, field: usize, size: usize) -> Result<Option<usize>, Defect> {
        let entry = 4 + 2 * field;
        if entry + 2 > self.vtable_len {
            return Ok(None);
        }
        match self.file.u16(self.vtable + entry)? {
            0 => Ok(None),
            offset if offset < 4 || offset + size > self.len => Err(Defect::Field(self.at)),
            offset => Ok(Some(self.at + offset)),
        }
    }

    /// The first field that the table has from `field` on.
    pub(super) fn first_field_from(&self, field: usize) -> Result<Option<usize>, Defect> {
        for field in field..(self.vtable_len / 2).saturating_sub(2) {
            if self.field(field, 1)?.is_some() {
                return Ok(Some(field));
            }
        }
        Ok(None)
    }

    fn scalar<const N: usize>(&self, field: usize) -> Result<Option<[u8; N]>, Defect> {
        self.field(field, N)?.map(|at| self.file.read(at)).transpose()
    }

    /// A byte, 0 if absent.
    pub(super) fn u8(&self, field: usize) -> Result<u8, Defect> {
        Ok(self.scalar::<1>(field)?.map_or(0, |[byte]| byte))
    }

    /// A truth value, false if absent.
    pub(super) fn bool(&self, field: usize) -> Result<bool, Defect> {
        Ok(self.u8(field)? != 0)
    }

    /// An integer.
    pub(super) fn i32(&self, field: usize, default: i32) -> Result<i32, Defect> {
        Ok(self.scalar(field)?.map_or(default, i32::from_le_bytes))
    }

    /// An index, 0 if absent.
    pub(super) fn index(&self, field: usize) -> Result<usize, Defect> {
        self.field(field, 4)?.map_or(Ok(0), |at| self.file.u32(at))
    }

    /// A size, 0 if absent.
    pub(super) fn u64(&self, field: usize) -> Result<u64, Defect> {
        Ok(self.scalar(field)?.map_or(0, u64::from_le_bytes))
    }

    /// A number, 0 if absent.
    pub(super) fn f32(&self, field: usize) -> Result<f32, Defect> {
        Ok(self.scalar(field)?.map_or(0.0, f32::from_le_bytes))
    }

    /// Where a field that is an offset leads, if the table has it.
    fn target(&self, field: usize) -> Result<Option<usize>, Defect> {
        self.field(field, 4)?.map(|at| self.file.follow(at)).transpose()
    }

    /// A vector of `N`-byte elements, empty if absent.
    pub(super) fn vector<const N: usize>(&self, field: usize) -> Result<&'a [[u8; N]], Defect> {
        let bytes = self.target(field)?.map(|at| self.file.vector(at, N)).transpose()?;
        Ok(bytes.unwrap_or_default().as_chunks().0)
    }

    /// A vector of bytes, empty if absent. Costs nothing: it is borrowed.
    pub(super) fn bytes(&self, field: usize) -> Result<&'a [u8], Defect> {
        let Some(at) = self.target(field)? else { return Ok(&[]) };
        self.file.slice(at + 4, self.file.u32(at)?)
    }

    /// A vector of integers, empty if absent.
    pub(super) fn ints(&self, field: usize) -> Result<Vec<i32>, Defect> {
        Ok(self.vector(field)?.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect())
    }

    /// A string, if the table has it.
    pub(super) fn text(&self, field: usize) -> Result<Option<&'a str>, Defect> {
        let Some(at) = self.target(field)? else { return Ok(None) };
        std::str::from_utf8(self.file.vector(at, 1)?).map(Some).map_err(|_| Defect::Text(at))
    }

    /// A table, if this one has it.
    pub(super) fn table(&self, field: usize) -> Result<Option<Table<'a>>, Defect> {
        self.target(field)?.map(|at| self.file.table(at)).transpose()
    }

    /// A vector of tables, empty if absent.
    pub(super) fn tables(&self, field: usize) -> Result<Tables<'a>, Defect> {
        let at = self.target(field)?;
        let bytes = at.map(|at| self.file.vector(at, 4)).transpose()?.unwrap_or_default();
        Ok(Tables { file: self.file, at: at.unwrap_or(0) + 4, len: bytes.len() / 4 })
    }

    /// A union whose tag is `field`: tag and table, if it has both.
    pub(super) fn union(&self, field: usize) -> Result<Option<(u8, Table<'a>)>, Defect> {
        let tag = self.u8(field)?;
        Ok(self.table(field + 1)?.filter(|_| tag != 0).map(|table| (tag, table)))
    }

    /// An enumeration, its first value if absent.
    pub(super) fn one_of<T: Copy>(&self, field: usize, values: &[T]) -> Result<T, Defect> {
        let value = self.u8(field)?;
        values.get(usize::from(value)).copied().ok_or(Defect::Enumeration(self.at, value))
    }
}

/// A vector of tables, each checked when it is reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables<'a> {
    file: &'a Flatbuffer<'a>,
    at: usize,
    len: usize,
}

impl<'a> Tables<'a> {
    /// Number of tables.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The table `index`, if there are so many.
    pub(super) fn get(&self, index: usize) -> Result<Option<Table<'a>>, Defect> {
        if index >= self.len {
            return Ok(None);
        }
        self.file.table(self.file.follow(self.at + 4 * index)?).map(Some)
    }

    /// All of them in order.
    pub(super) fn iter(self) -> impl Iterator<Item = Result<Table<'a>, Defect>> {
        (0..self.len).filter_map(move |index| self.get(index).transpose())
    }
}

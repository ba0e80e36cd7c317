//! Operators and their codes.

use super::options::Options;
use super::{Model, Unreadable, builtin};
use crate::import::tflite::flatbuffer::{Flatbuffer, Table};

/// What keeping an operator costs beyond its lists.
pub(super) const COST: usize = size_of::<Operator<'_>>() + 64;
/// The builtin code of operators that are known by a name of their own.
const CUSTOM: i32 = 32;

/// An operator as the file's operators refer to it.
pub(super) struct Code<'a> {
    number: i32,
    custom: &'a str,
    version: i32,
}

impl<'a> Code<'a> {
    /// Codes above 127 stand in a field of their own, which older files do not have.
    pub(super) fn read(table: Table<'a>) -> Result<Self, Unreadable> {
        let old = i32::from(table.u8(0)?.cast_signed());
        let custom = table.text(1)?.unwrap_or_default();
        Ok(Self { number: table.i32(3, 0)?.max(old), custom, version: table.i32(2, 1)? })
    }
}

/// An operator of a subgraph.
pub(crate) struct Operator<'a> {
    /// Its place in the subgraph.
    pub(crate) index: usize,
    /// The schema's name of its kind; `None` if this reader does not know the code.
    pub(crate) kind: Option<&'static str>,
    /// The number of its kind.
    pub(crate) code: i32,
    /// The name of a custom operator.
    pub(crate) custom: Option<&'a str>,
    /// The version of its kind that the file needs.
    pub(crate) version: i32,
    /// Tensors that it reads, `None` where left out.
    pub(crate) inputs: Vec<Option<usize>>,
    /// Tensors that it writes.
    pub(crate) outputs: Vec<usize>,
    options: Option<(u8, Table<'a>)>,
    file: &'a Flatbuffer<'a>,
}

impl<'a> Operator<'a> {
    /// Reads operator `index` of a subgraph with `tensors` tensors.
    pub(super) fn read(model: &Model<'a>, tensors: usize, index: usize, table: Table<'a>) -> Result<Self, Unreadable> {
        let code_index = table.index(0)?;
        let code = model.codes.get(code_index);
        let code = code.ok_or_else(|| Unreadable::new(format!("it has no operator code {code_index}")))?;
        let tensor = |index: i32| {
            let valid = usize::try_from(index).ok().filter(|&index| index < tensors);
            valid.ok_or_else(|| Unreadable::new(format!("it refers to tensor {index} of {tensors}")))
        };
        let input = |index: i32| if index == -1 { Ok(None) } else { tensor(index).map(Some) };
        let (inputs, outputs) = (table.ints(1)?, table.ints(2)?);
        table.file().charge(size_of_val(&*inputs).saturating_mul(4).saturating_add(size_of_val(&*outputs) * 2))?;
        Ok(Self {
            index,
            kind: builtin::name(code.number),
            code: code.number,
            custom: (code.number == CUSTOM).then_some(code.custom),
            version: code.version,
            inputs: inputs.into_iter().map(input).collect::<Result<_, _>>()?,
            outputs: outputs.into_iter().map(tensor).collect::<Result<_, _>>()?,
            options: table.union(3)?,
            file: table.file(),
        })
    }

    /// Its options; the defaults of the schema if it has none.
    pub(crate) fn options<T: Options<'a>>(&self) -> Result<T, Unreadable> {
        let table = match self.options {
            None => self.file.empty_table(),
            Some((tag, table)) if tag == T::TAG => table,
            Some((tag, _)) => {
                return Err(Unreadable::new(format!("its options are of kind {tag}, not {}", T::TAG)));
            }
        };
        if let Some(field) = table.first_field_from(T::FIELDS)? {
            return Err(Unreadable::new(format!("its options have a field {field} that this reader does not know")));
        }
        Ok(T::read(&table)?)
    }
}

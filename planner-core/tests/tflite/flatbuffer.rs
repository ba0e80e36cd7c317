//! A writer of flatbuffers: trees of tables, laid out parents first.

use std::collections::HashMap;
use std::rc::Rc;

/// A field of a table.
#[derive(Clone)]
pub(super) enum Field {
    U8(u8),
    I32(i32),
    F32(f32),
    U64(u64),
    Text(String),
    Bytes(Vec<u8>),
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    Floats(Vec<f32>),
    Table(Table),
    /// Tables of which equal ones, by address, are written once.
    Tables(Vec<Rc<Table>>),
}

/// Fields by number.
pub(super) type Table = Vec<(usize, Field)>;

/// A vector of tables, each written on its own.
pub(super) fn tables(list: Vec<Table>) -> Field {
    Field::Tables(list.into_iter().map(Rc::new).collect())
}

/// A union in `field`: its tag, then its table.
pub(super) fn union(field: usize, tag: u8, table: Table) -> [(usize, Field); 2] {
    [(field, Field::U8(tag)), (field + 1, Field::Table(table))]
}

/// A file with `identifier` and this root.
pub(super) fn write(identifier: [u8; 4], root: &Table) -> Vec<u8> {
    let mut file = vec![0; 4];
    file.extend(identifier);
    let at = table(&mut file, root);
    patch(&mut file, 0, at);
    file
}

/// Lets the offset at `at` lead to `target`.
fn patch(file: &mut [u8], at: usize, target: usize) {
    let offset = u32::try_from(target - at).unwrap();
    file[at..at + 4].copy_from_slice(&offset.to_le_bytes());
}

fn u16(value: usize) -> [u8; 2] {
    u16::try_from(value).unwrap().to_le_bytes()
}

/// Writes a table behind its vtable, then what it refers to; where it begins.
fn table(file: &mut Vec<u8>, table: &Table) -> usize {
    let count = table.iter().map(|(field, _)| field + 1).max().unwrap_or(0);
    file.resize(file.len().next_multiple_of(4), 0);
    let vtable = file.len();
    let at = (vtable + 4 + 2 * count).next_multiple_of(4);
    let size = 4 + 8 * table.len();
    file.extend(u16(4 + 2 * count));
    file.extend(u16(size));
    file.resize(at + size, 0);
    file[at..at + 4].copy_from_slice(&i32::try_from(at - vtable).unwrap().to_le_bytes());
    for (index, (field, value)) in table.iter().enumerate() {
        let offset = 4 + 8 * index;
        file[vtable + 4 + 2 * field..][..2].copy_from_slice(&u16(offset));
        let place = at + offset;
        match value {
            Field::U8(value) => file[place] = *value,
            Field::I32(value) => file[place..place + 4].copy_from_slice(&value.to_le_bytes()),
            Field::F32(value) => file[place..place + 4].copy_from_slice(&value.to_le_bytes()),
            Field::U64(value) => file[place..place + 8].copy_from_slice(&value.to_le_bytes()),
            other => {
                let target = target(file, other);
                patch(file, place, target);
            }
        }
    }
    at
}

/// Writes what an offset leads to; where it begins.
fn target(file: &mut Vec<u8>, field: &Field) -> usize {
    match field {
        Field::Text(text) => vector(file, text.len(), text.as_bytes()),
        Field::Bytes(bytes) => vector(file, bytes.len(), bytes),
        Field::Ints(list) => vector(file, list.len(), &list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()),
        Field::Longs(list) => vector(file, list.len(), &list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()),
        Field::Floats(list) => vector(file, list.len(), &list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()),
        Field::Table(child) => table(file, child),
        Field::Tables(list) => {
            let at = vector(file, list.len(), &vec![0; 4 * list.len()]);
            let mut written = HashMap::new();
            for (index, child) in list.iter().enumerate() {
                let target = *written.entry(Rc::as_ptr(child)).or_insert_with(|| table(file, child));
                patch(file, at + 4 + 4 * index, target);
            }
            at
        }
        Field::U8(_) | Field::I32(_) | Field::F32(_) | Field::U64(_) => unreachable!("a scalar stands in its table"),
    }
}

fn vector(file: &mut Vec<u8>, len: usize, bytes: &[u8]) -> usize {
    file.resize(file.len().next_multiple_of(4), 0);
    let at = file.len();
    file.extend(u32::try_from(len).unwrap().to_le_bytes());
    file.extend(bytes);
    file.extend([0; 4]);
    at
}

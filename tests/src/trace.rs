//! In which order kernels read and write, byte by byte.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

thread_local! {
    static ACCESSES: RefCell<Option<Accesses>> = const { RefCell::new(None) };
}

/// When bytes are read for the last time and written for the first time.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    time: usize,
    last_read: BTreeMap<usize, usize>,
    first_written: BTreeMap<usize, usize>,
}

/// The accesses of `run`, by address.
///
/// # Panics
/// If it is traced already.
pub fn traced<R>(run: impl FnOnce() -> R) -> (R, Accesses) {
    let before = ACCESSES.replace(Some(Accesses::default()));
    assert!(before.is_none(), "a trace within a trace");
    let result = run();
    (result, ACCESSES.take().unwrap_or_default())
}

pub(crate) fn read(address: usize, size: usize) {
    record(|accesses| {
        for byte in address..address + size {
            accesses.last_read.insert(byte, accesses.time);
        }
    });
}

pub(crate) fn write(address: usize, size: usize) {
    record(|accesses| {
        for byte in address..address + size {
            accesses.first_written.entry(byte).or_insert(accesses.time);
        }
    });
}

fn record(access: impl FnOnce(&mut Accesses)) {
    ACCESSES.with_borrow_mut(|accesses| {
        if let Some(accesses) = accesses {
            accesses.time += 1;
            access(accesses);
        }
    });
}

impl Accesses {
    /// Whether `result` may start `shift` bytes after the start of `argument`, without a byte of the argument written
    /// before it is read for the last time. Both lie apart in the trace.
    #[must_use]
    pub fn allow(&self, argument: &Range<usize>, result: &Range<usize>, shift: isize) -> bool {
        let mut reads = self.last_read.range(argument.clone());
        reads.all(|(read, last)| {
            let written = (result.start + read - argument.start).checked_add_signed(-shift);
            let written = written.filter(|byte| result.contains(byte));
            written.and_then(|byte| self.first_written.get(&byte)).is_none_or(|first| first > last)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_may_be_written_once_it_is_read() {
        // Two elements, each the sum of its own and the next.
        let ((), accesses) = traced(|| {
            for (reads, written) in [([10, 11], 20), ([11, 12], 21)] {
                reads.into_iter().for_each(|address| read(address, 1));
                write(written, 1);
            }
        });
        let allowed: Vec<isize> = (-3..4).filter(|shift| accesses.allow(&(10..13), &(20..22), *shift)).collect();
        assert_eq!(allowed, [-3, -2, -1, 0, 3]);
    }
}

//! Many short lists in one vector.

/// Rows of values: row `i` lies between the ends of rows `i - 1` and `i`.
#[derive(Clone, Debug)]
pub(super) struct Rows<T> {
    ends: Vec<usize>,
    values: Vec<T>,
}

impl<T> Rows<T> {
    /// No rows yet.
    pub(super) fn new() -> Self {
        Self { ends: Vec::new(), values: Vec::new() }
    }

    /// Adds a row below the others.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.values.extend(row);
        self.ends.push(self.values.len());
    }

    /// `count` rows out of values that know their row; within a row they keep their order.
    pub(super) fn group(count: usize, values: &[(u32, T)]) -> Self
    where
        T: Copy + Default,
    {
        let mut next = vec![0; count];
        for (row, _) in values {
            next[*row as usize] += 1;
        }
        let mut end = 0;
        for next in &mut next {
            end += std::mem::replace(next, end);
        }
        let mut sorted = vec![T::default(); values.len()];
        for &(row, value) in values {
            let at = &mut next[row as usize];
            sorted[*at] = value;
            *at += 1;
        }
        Self { ends: next, values: sorted }
    }

    /// Row `index`.
    pub(super) fn row(&self, index: usize) -> &[T] {
        // Indexing a vector is a call where nothing is optimised, as in procedural macros.
        let (ends, values) = (self.ends.as_slice(), self.values.as_slice());
        let start = if index == 0 { 0 } else { ends[index - 1] };
        &values[start..ends[index]]
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All values, row after row.
    pub(super) fn values(&self) -> &[T] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grouped_and_pushed_rows_are_alike() {
        let grouped = Rows::group(4, &[(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd')]);
        let mut pushed = Rows::new();
        for row in ["b", "", "ac", "d"] {
            pushed.push(row.chars());
        }
        for index in 0..4 {
            assert_eq!(grouped.row(index), pushed.row(index));
        }
        assert_eq!(grouped.values(), ['b', 'a', 'c', 'd']);
    }
}

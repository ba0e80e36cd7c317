//! Fixed shapes.

use std::fmt;
use std::ops::Deref;

/// Most elements that one tensor may have: sizes and offsets stay far from overflow.
pub const MAX_ELEMENTS: usize = 1 << 28;

/// Most dimensions that a tensor may have.
pub const MAX_RANK: usize = 6;

/// The dimensions of a tensor, outermost first, all positive; a scalar has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape(Vec<usize>);

/// Why a list of dimensions is no shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// The dimension at this index is zero.
    Zero(usize),
    /// The product exceeds [`MAX_ELEMENTS`].
    TooLarge,
    /// There are more than [`MAX_RANK`] dimensions.
    Rank,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero(index) => write!(f, "dimension {index} is zero"),
            Self::TooLarge => write!(f, "more than {MAX_ELEMENTS} elements"),
            Self::Rank => write!(f, "more than {MAX_RANK} dimensions"),
        }
    }
}

impl Shape {
    /// A shape of `dims`.
    ///
    /// # Errors
    /// A zero dimension, too many dimensions, or a product above [`MAX_ELEMENTS`].
    pub fn new(dims: impl Into<Vec<usize>>) -> Result<Self, ShapeError> {
        let dims = dims.into();
        if dims.len() > MAX_RANK {
            return Err(ShapeError::Rank);
        }
        if let Some(index) = dims.iter().position(|&d| d == 0) {
            return Err(ShapeError::Zero(index));
        }
        dims.iter()
            .try_fold(1usize, |product, &d| product.checked_mul(d).filter(|&p| p <= MAX_ELEMENTS))
            .ok_or(ShapeError::TooLarge)?;
        Ok(Self(dims))
    }

    /// The shape of one element.
    #[must_use]
    pub fn scalar() -> Self {
        Self(Vec::new())
    }

    /// Number of elements.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.0.iter().product()
    }

    /// Number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Elements between neighbours along each dimension, row-major.
    #[must_use]
    pub fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.0.len()];
        for i in (1..self.0.len()).rev() {
            strides[i - 1] = strides[i] * self.0[i];
        }
        strides
    }

    /// The shape that `self` and `other` broadcast to by numpy's rules.
    #[must_use]
    pub fn broadcast(&self, other: &Self) -> Option<Self> {
        let rank = self.rank().max(other.rank());
        let dim = |s: &Self, i: usize| (i + s.rank()).checked_sub(rank).map_or(1, |i| s.0[i]);
        let dims: Option<Vec<usize>> = (0..rank)
            .map(|i| match (dim(self, i), dim(other, i)) {
                (a, b) if a == b => Some(a),
                (1, b) => Some(b),
                (a, 1) => Some(a),
                _ => None,
            })
            .collect();
        Self::new(dims?).ok()
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_follows_numpy() {
        let shape = |dims: &[usize]| Shape::new(dims).unwrap();
        assert_eq!(shape(&[2, 1, 3]).broadcast(&shape(&[4, 1])), Some(shape(&[2, 4, 3])));
        assert_eq!(shape(&[]).broadcast(&shape(&[5])), Some(shape(&[5])));
        assert_eq!(shape(&[2]).broadcast(&shape(&[3])), None);
    }

    #[test]
    fn hostile_dimensions_are_refused() {
        assert_eq!(Shape::new([4, 0]), Err(ShapeError::Zero(1)));
        assert_eq!(Shape::new([usize::MAX, 2]), Err(ShapeError::TooLarge));
        assert_eq!(Shape::new([1; 7]), Err(ShapeError::Rank));
    }
}

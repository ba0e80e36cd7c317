//! How operators are written: names, arguments, attributes and their values.

use std::borrow::Cow;
use std::fmt;

/// How an operator is written.
#[derive(Debug)]
pub struct Signature {
    /// Name in the language.
    pub name: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// Tensors, by position.
    pub args: &'static [ArgSpec],
    /// Attributes, by name.
    pub attrs: &'static [AttrSpec],
    /// How many tensors it defines.
    pub results: Results,
}

impl Signature {
    /// The index of the attribute called `name`.
    #[must_use]
    pub fn attr(&self, name: &str) -> Option<usize> {
        self.attrs.iter().position(|attr| attr.name == name)
    }

    /// How many tensors an application with these attributes defines.
    ///
    /// # Panics
    /// If `attrs` are not those of this operator.
    #[must_use]
    pub fn result_count(&self, attrs: &[AttrValue]) -> usize {
        match self.results {
            Results::One => 1,
            Results::States(count) => 1 + count,
            Results::Attr(name) => match &attrs[self.attr(name).expect("an operator counts by its own attribute")] {
                AttrValue::Int(count) => usize::try_from(*count).unwrap_or(0),
                AttrValue::Ints(sizes) => sizes.len(),
                other => unreachable!("{name} = {other}"),
            },
        }
    }
}

/// A tensor that an operator takes.
#[derive(Debug)]
pub struct ArgSpec {
    /// Name in messages and documentation.
    pub name: &'static str,
    /// What may stand there.
    pub role: Role,
    /// One line of documentation: shape and meaning.
    pub doc: &'static str,
}

/// What may stand in an argument's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Any tensor.
    Any,
    /// A parameter, whose values shape the generated code.
    Param,
    /// A parameter, or nothing.
    OptionalParam,
    /// One or more tensors; only in last place.
    Variadic,
}

/// How many tensors an operator defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// One.
    One,
    /// One, and the new values of so many states that it takes as arguments, each of the type of its state.
    States(usize),
    /// As many as the attribute of this name says: an integer, or the length of a list.
    Attr(&'static str),
}

/// An attribute of an operator.
#[derive(Debug)]
pub struct AttrSpec {
    /// Name.
    pub name: &'static str,
    /// What may be written.
    pub form: Form,
    /// The value when it is left out; `None` if it must be written.
    pub default: Option<AttrValue>,
    /// One line of documentation.
    pub doc: &'static str,
}

/// What may be written for an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// An integer in a range, both ends included.
    Int(i64, i64),
    /// `[y, x]` or one integer for both, each in the range.
    Pair(i64, i64),
    /// A list of integers, each in the range.
    Ints(i64, i64),
    /// A finite number.
    Float,
    /// `true` or `false`.
    Bool,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// `same`, `valid` or `[top, bottom, left, right]`.
    Padding,
    /// A dimension's index, negative from the end.
    Axis,
    /// A list of such indices, or one.
    Axes,
    /// A number of equal parts, or a list of their sizes.
    Parts,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    /// An integer.
    Int(i64),
    /// A list of integers.
    Ints(Cow<'static, [i64]>),
    /// A number.
    Float(f32),
    /// A truth value.
    Bool(bool),
    /// A name.
    Name(Cow<'static, str>),
}

impl fmt::Display for AttrValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(v) => write!(f, "{v}"),
            Self::Ints(v) => write!(f, "{v:?}"),
            Self::Float(v) => write!(f, "{v:?}"),
            Self::Bool(v) => write!(f, "{v}"),
            Self::Name(v) => f.write_str(v),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(lo, hi) => write!(f, "an integer in {}", range(*lo, *hi)),
            Self::Pair(lo, hi) => write!(f, "`n` or `[y, x]`, each in {}", range(*lo, *hi)),
            Self::Ints(lo, hi) => write!(f, "a list of integers, each in {}", range(*lo, *hi)),
            Self::Float => f.write_str("a finite number"),
            Self::Bool => f.write_str("`true` or `false`"),
            Self::Choice(names) => {
                let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
                write!(f, "one of {}", names.join(", "))
            }
            Self::Padding => f.write_str("`same`, `valid` or `[top, bottom, left, right]`"),
            Self::Axis => f.write_str("an axis, negative from the end"),
            Self::Axes => f.write_str("an axis or a list of axes, negative from the end"),
            Self::Parts => f.write_str("a number of equal parts or a list of sizes"),
        }
    }
}

fn range(lo: i64, hi: i64) -> String {
    if hi == i64::MAX { format!("{lo}..") } else { format!("{lo}..={hi}") }
}

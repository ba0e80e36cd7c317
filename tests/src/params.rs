//! Parameter structures of kernels, and statics made by the runtime's `const fn`s, from their descriptions.

use crate::window::Words;
use bytemuck::Pod;
use planner_core::emit::{Struct, Value};
use waterline::kernels;

/// The statics known so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants<'a>(pub(crate) &'a [Words]);

impl<'a> Constants<'a> {
    /// The parameter structure that `description` describes.
    pub(crate) fn params<P: FromStruct<'a>>(self, description: &Struct) -> P {
        P::from_struct(description, self)
    }

    /// The bytes of a static of `len` elements that `function` makes.
    #[allow(clippy::unused_self, clippy::needless_pass_by_value, reason = "rows follow")]
    pub(crate) fn const_fn(self, function: &str, _len: usize, _args: &[Value]) -> Words {
        panic!("const fn `{function}` has no row in the interpreter's table")
    }

    fn field<T: FromValue<'a>>(self, description: &Struct, name: &str) -> T {
        let value = description.fields.iter().find(|field| field.0 == name);
        let (_, value) = value.unwrap_or_else(|| panic!("{} has no field {name}", description.name));
        T::from_value(value, self)
    }
}

/// A parameter structure of a kernel.
pub(crate) trait FromStruct<'a>: Sized {
    fn from_struct(description: &Struct, constants: Constants<'a>) -> Self;
}

/// The fields of each parameter structure.
macro_rules! params {
    ($($name:ident $(<$lifetime:lifetime>)? { $($field:ident),+ $(,)? })+) => {$(
        impl<'a> FromStruct<'a> for kernels::$name $(<$lifetime>)? {
            fn from_struct(description: &Struct, constants: Constants<'a>) -> Self {
                let count = [$(stringify!($field)),+].len();
                assert_eq!(description.fields.len(), count, "fields of {}", description.name);
                Self { $($field: constants.field(description, stringify!($field))),+ }
            }
        }

        impl<'a> FromValue<'a> for kernels::$name $(<$lifetime>)? {
            fn from_value(value: &Value, constants: Constants<'a>) -> Self {
                let Value::Struct(description) = value else { panic!("{value:?} is no structure") };
                assert_eq!(description.name, stringify!($name));
                Self::from_struct(description, constants)
            }
        }
    )+};
}

params! {
    Clamp { min, max }
    Runs { runs, run, from, from_stride, to, to_stride }
}

/// The type of a field.
pub(crate) trait FromValue<'a>: Sized {
    fn from_value(value: &Value, constants: Constants<'a>) -> Self;
}

macro_rules! integers {
    ($($int:ty)+) => {$(
        impl<'a> FromValue<'a> for $int {
            fn from_value(value: &Value, _: Constants<'a>) -> Self {
                let Value::Int(number) = value else { panic!("{value:?} is no integer") };
                Self::try_from(*number).unwrap_or_else(|_| panic!("{number} does not fit {}", stringify!($int)))
            }
        }
    )+};
}

integers!(usize isize u64 i64 u32 i32 u16 i16 u8 i8);

impl<'a> FromValue<'a> for f32 {
    fn from_value(value: &Value, _: Constants<'a>) -> Self {
        let Value::F32(number) = value else { panic!("{value:?} is no f32") };
        *number
    }
}

impl<'a> FromValue<'a> for bool {
    fn from_value(value: &Value, _: Constants<'a>) -> Self {
        let Value::Bool(truth) = value else { panic!("{value:?} is no bool") };
        *truth
    }
}

impl<'a, T: FromValue<'a>, const N: usize> FromValue<'a> for [T; N] {
    fn from_value(value: &Value, constants: Constants<'a>) -> Self {
        let Value::Array(values) = value else { panic!("{value:?} is no array") };
        let values: Vec<T> = values.iter().map(|value| T::from_value(value, constants)).collect();
        let count = values.len();
        values.try_into().unwrap_or_else(|_| panic!("{count} values where {N} are wanted"))
    }
}

impl<'a, T: Pod> FromValue<'a> for &'a [T] {
    fn from_value(value: &Value, constants: Constants<'a>) -> Self {
        match value {
            Value::Slice(id) => bytemuck::cast_slice(constants.0[id.0].bytes()),
            Value::Empty => &[],
            other => panic!("{other:?} is no slice"),
        }
    }
}

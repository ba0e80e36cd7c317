//! Operators whose arguments are all known, computed at compile time from the kernel calls that they lower to.

use super::{Call, Lower};
use crate::arch::Arch;
use crate::dtype::DType;
use crate::emit::{self, Operand, Struct, Value};
use crate::model::Data;
use crate::steps::Statics;
use std::sync::Arc;

/// The bytes of each result of `call`, if its arguments are known parameters and its kernels are among those that
/// move elements or compute with f32 and i32.
pub(crate) fn evaluate(call: Call<'_>) -> Option<Vec<Vec<u8>>> {
    if call.is_empty() || call.results() == 0 {
        return None;
    }
    let args: Option<Vec<Arc<[u8]>>> = (0..call.len())
        .map(|place| match &call.param(place).filter(|param| !param.placeholder)?.data {
            Data::Bytes(bytes) => Some(bytes.clone()),
            Data::External(_) => None,
        })
        .collect();
    let args = args?;
    let mut statics = Statics::default();
    let lowered = call.node.op.lower(&mut Lower::new(call, Arch::Portable, &mut statics)).ok()?;
    let mut results: Vec<Vec<u8>> = (0..call.results()).map(|index| vec![0; call.result(index).bytes()]).collect();
    for kernel in &lowered.calls {
        let windows: Vec<(DType, Vec<u8>)> = kernel
            .operands
            .iter()
            .map(|operand| match *operand {
                Operand::Read(read) => {
                    let place = lowered.reads[read];
                    Some((call.arg(place).dtype, args[place].to_vec()))
                }
                Operand::Write(write) => Some((call.result(write).dtype, results[write].clone())),
                Operand::Scratch => None,
            })
            .collect::<Option<_>>()?;
        let Some(Operand::Write(written)) = kernel.operands.last() else { return None };
        results[*written] = run(kernel, &windows)?;
    }
    Some(results)
}

/// The last of `windows` after `call`.
#[allow(clippy::many_single_char_names, reason = "y = f(a, b), element by element")]
fn run(call: &emit::Call, windows: &[(DType, Vec<u8>)]) -> Option<Vec<u8>> {
    match windows {
        [(dtype, x), (_, y)] if call.kernel.starts_with("copy_") && call.params.name == "Runs" => {
            copy(&call.params, dtype.bytes(), x, y.clone())
        }
        [(DType::F32, x), (DType::F32, _)] => {
            let f = unary(call.kernel)?;
            Some(floats(x).map(f).flat_map(f32::to_le_bytes).collect())
        }
        [(DType::F32, a), (DType::F32, b), (DType::F32, y)] => {
            let (f, pairs) = (binary_f32(call.kernel)?, Pairs::new(&call.params)?);
            let [min, max] = ["min", "max"].map(|bound| match field(&call.params, bound) {
                Some(Value::F32(bound)) => Some(*bound),
                _ => None,
            });
            let (a, b): (Vec<f32>, Vec<f32>) = (floats(a).collect(), floats(b).collect());
            let bounded = |y: f32| match (min, max) {
                (Some(min), _) if y < min => min,
                (_, Some(max)) if y > max => max,
                _ => y,
            };
            let result = |unit| {
                let [i, j] = pairs.at(unit);
                Some(bounded(f(*a.get(i)?, *b.get(j)?)).to_le_bytes())
            };
            Some((0..y.len() / 4).map(result).collect::<Option<Vec<_>>>()?.concat())
        }
        [(DType::I32, a), (DType::I32, b), (DType::I32, y)] => {
            let (f, pairs) = (binary_i32(call.kernel)?, Pairs::new(&call.params)?);
            let (a, b): (Vec<i32>, Vec<i32>) = (ints(a).collect(), ints(b).collect());
            let result = |unit| {
                let [i, j] = pairs.at(unit);
                Some(f(*a.get(i)?, *b.get(j)?).to_le_bytes())
            };
            Some((0..y.len() / 4).map(result).collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))
}

fn ints(bytes: &[u8]) -> impl Iterator<Item = i32> + '_ {
    bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b))
}

fn unary(kernel: &str) -> Option<fn(f32) -> f32> {
    Some(match kernel {
        "abs_f32" => f32::abs,
        "ceil_f32" => f32::ceil,
        "floor_f32" => f32::floor,
        "neg_f32" => |x| -x,
        "round_f32" => f32::round_ties_even,
        "rsqrt_f32" => |x| 1.0 / x.sqrt(),
        "sqrt_f32" => f32::sqrt,
        "square_f32" => |x| x * x,
        _ => return None,
    })
}

fn binary_f32(kernel: &str) -> Option<fn(f32, f32) -> f32> {
    Some(match kernel {
        "add_f32" => |a, b| a + b,
        "div_f32" => |a, b| a / b,
        "maximum_f32" => |a, b| if a > b { a } else { b },
        "minimum_f32" => |a, b| if a < b { a } else { b },
        "mul_f32" => |a, b| a * b,
        "squared_difference_f32" => |a, b| (a - b) * (a - b),
        "sub_f32" => |a, b| a - b,
        _ => return None,
    })
}

fn binary_i32(kernel: &str) -> Option<fn(i32, i32) -> i32> {
    Some(match kernel {
        "add_i32" => i32::wrapping_add,
        "maximum_i32" => i32::max,
        "minimum_i32" => i32::min,
        "mul_i32" => i32::wrapping_mul,
        "sub_i32" => i32::wrapping_sub,
        _ => return None,
    })
}

pub(super) fn field<'a>(params: &'a Struct, name: &str) -> Option<&'a Value> {
    params.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
}

fn number(value: &Value) -> Option<isize> {
    match value {
        Value::Int(number) => isize::try_from(*number).ok(),
        _ => None,
    }
}

fn numbers(value: &Value) -> Option<Vec<isize>> {
    match value {
        Value::Array(values) => values.iter().map(number).collect(),
        _ => None,
    }
}

/// A dimension and the strides of two windows.
type Axis = (usize, [isize; 2]);

fn axes(params: &Struct) -> Option<Vec<Axis>> {
    let Value::Array(axes) = field(params, "axes")? else { return None };
    let axis = |value: &Value| {
        let Value::Struct(axis) = value else { return None };
        let strides = <[isize; 2]>::try_from(numbers(field(axis, "strides")?)?).ok()?;
        Some((number(field(axis, "size")?)?.unsigned_abs(), strides))
    };
    axes.iter().map(axis).collect()
}

fn offsets(axes: &[Axis], unit: usize) -> [isize; 2] {
    let (mut rest, mut offsets) = (unit, [0; 2]);
    for &(size, strides) in axes.iter().rev() {
        let index = (rest % size.max(1)).cast_signed();
        rest /= size.max(1);
        offsets = [offsets[0] + index * strides[0], offsets[1] + index * strides[1]];
    }
    offsets
}

/// The structure `Runs`, carried out.
fn copy(params: &Struct, size: usize, x: &[u8], mut y: Vec<u8>) -> Option<Vec<u8>> {
    let get = |name| number(field(params, name)?);
    let (run, step, from, to, axes) = (get("run")?, get("step")?, get("from")?, get("to")?, axes(params)?);
    for unit in 0..axes.iter().map(|axis| axis.0).product() {
        let [a, b] = offsets(&axes, unit);
        for i in 0..run {
            let place = |index: isize| usize::try_from(index).ok().map(|index| index * size..(index + 1) * size);
            let element = x.get(place(from + a + i * step)?)?;
            y.get_mut(place(to + b + i)?)?.copy_from_slice(element);
        }
    }
    Some(y)
}

/// The structure `Broadcast`, perhaps inside of another.
struct Pairs {
    run: usize,
    steps: [isize; 2],
    axes: Vec<Axis>,
}

impl Pairs {
    fn new(params: &Struct) -> Option<Self> {
        let params = match field(params, "pairs") {
            Some(Value::Struct(pairs)) => pairs,
            _ => params,
        };
        let steps = <[isize; 2]>::try_from(numbers(field(params, "steps")?)?).ok()?;
        Some(Self { run: number(field(params, "run")?)?.unsigned_abs().max(1), steps, axes: axes(params)? })
    }

    fn at(&self, unit: usize) -> [usize; 2] {
        let ([a, b], along) = (offsets(&self.axes, unit / self.run), (unit % self.run).cast_signed());
        [a + along * self.steps[0], b + along * self.steps[1]].map(isize::unsigned_abs)
    }
}

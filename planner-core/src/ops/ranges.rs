//! What the results of an operator can be, channel by channel: intervals that hold for every argument.

use super::activation::bounds;
use super::channels::{Flow, Layer, count};
use super::evaluate::field;
use super::weights::{self, BIAS, WEIGHTS};
use super::{Call, Lower, Lowered, concat, copy, pad, rescale};
use crate::arch::Arch;
use crate::dtype::{DType, integer};
use crate::emit::{Init, Static, StaticId, Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::steps::Statics;
use std::sync::Arc;

/// The least and the greatest integer.
pub(crate) type Range = [i32; 2];

/// All that a tensor of `ty` may hold, channel by channel.
pub(crate) fn whole(ty: &TensorType) -> Vec<Range> {
    vec![rescale::whole(ty.dtype); count(ty).unwrap_or(0)]
}

/// What a parameter of `ty` holds, channel by channel.
pub(crate) fn known(ty: &TensorType, bytes: &[u8]) -> Vec<Range> {
    let channels = count(ty).unwrap_or(0);
    let mut ranges: Vec<Option<Range>> = vec![None; channels];
    for (index, element) in bytes.chunks_exact(ty.dtype.bytes()).enumerate() {
        let range = &mut ranges[index % channels];
        let element = integer(ty.dtype, element);
        *range = Some(range.map_or([element; 2], |range| hull(range, [element; 2])));
    }
    ranges.into_iter().map(|range| range.unwrap_or(rescale::whole(ty.dtype))).collect()
}

/// What each result of `call` may hold, channel by channel, its channels running by `flow` and those of `args` being
/// in these ranges; `None` where nothing is known beyond the type.
pub(crate) fn results(call: &Call<'_>, flow: Flow, args: &[&[Range]]) -> Option<Vec<Vec<Range>>> {
    let mut statics = Statics::default();
    let mut lower = Lower::new(*call, Arch::Portable, &mut statics);
    let one = match flow {
        Flow::Layer(layer) => Sums::new(&lower, layer)?.dense(layer, args[0]),
        Flow::Depthwise(layer) => Sums::new(&lower, layer)?.depthwise(layer, args[0]),
        Flow::Reshaped => reshaped(args[0], count(call.result(0))?),
        Flow::Joined => {
            (0..call.len()).map(|arg| moved(&mut lower, arg, args[arg])).collect::<Option<Vec<_>>>()?.concat()
        }
        Flow::Along => match call.node.op.signature().name {
            "split" => return Some(vec![args[0].to_vec(); call.results()]),
            "max" | "min" | "resize_nearest" => args[0].to_vec(),
            "avg_pool2d" | "max_pool2d" => {
                let y = call.result(0);
                let taps = call.pair("filter").iter().fold(1, |taps: usize, side| taps.saturating_mul(*side));
                // Its sums have 32 bits.
                if taps >= 1 << 15 {
                    return None;
                }
                let bounds = bounds(call, y.quant.as_ref()?, y.dtype);
                each(args[0], |x| x.map(|x| x.clamp(bounds[0], bounds[1])))
            }
            "pad" => {
                let value = pad::bits(call).ok()?;
                let padded = pad::sides(call).iter().any(|sides| *sides != [0, 0]);
                each(args[0], |x| if padded { hull(x, [value; 2]) } else { x })
            }
            "concat" => {
                let parts: Option<Vec<_>> = (0..call.len()).map(|arg| moved(&mut lower, arg, args[arg])).collect();
                parts?.into_iter().reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| hull(a, b)).collect())?
            }
            _ => {
                let lowered = call.node.op.lower(&mut lower).ok()?;
                computed(call, &lowered, &statics, args)?
            }
        },
    };
    Some(vec![one])
}

fn hull(a: Range, b: Range) -> Range {
    [a[0].min(b[0]), a[1].max(b[1])]
}

fn each(ranges: &[Range], f: impl Fn(Range) -> Range) -> Vec<Range> {
    ranges.iter().map(|range| f(*range)).collect()
}

/// The channels of `x` under a last dimension of `channels`.
fn reshaped(x: &[Range], channels: usize) -> Vec<Range> {
    if channels >= x.len() {
        return x.iter().copied().cycle().take(channels).collect();
    }
    let place = |channel: usize| x.iter().skip(channel).step_by(channels).copied().reduce(hull);
    (0..channels).filter_map(place).collect()
}

/// Argument `arg` of a concat as its result holds it.
fn moved(lower: &mut Lower<'_>, arg: usize, x: &[Range]) -> Option<Vec<Range>> {
    let (from, result) = (lower.arg(arg).clone(), lower.result(0).clone());
    match (&from.quant, &result.quant) {
        (Some(a), Some(b)) if a != b => match concat::map(lower, result.dtype, [a, b]) {
            copy::Map::Lut(table) => looked_up(lower.statics.get(table), [from.dtype, result.dtype], x),
            copy::Map::Rescale(_) => Some(vec![rescale::whole(result.dtype); x.len()]),
        },
        _ => Some(x.to_vec()),
    }
}

/// What the only call of `lowered` gives.
fn computed(call: &Call<'_>, lowered: &Lowered, statics: &Statics, args: &[&[Range]]) -> Option<Vec<Range>> {
    let [kernel] = lowered.calls.as_slice() else { return None };
    let (params, y) = (&kernel.params, call.result(0));
    let bounded = |y: Option<i64>| -> Option<i32> {
        i32::try_from(y?).ok().map(|y| Some(y.clamp(int(params, "min")?, int(params, "max")?)))?
    };
    match params.name {
        "Lut" => looked_up(statics.get(slice(params, "table")?), [call.arg(0).dtype, y.dtype], args[0]),
        "ClampInt" => {
            args[0].iter().map(|x| Some([bounded(Some(x[0].into()))?, bounded(Some(x[1].into()))?])).collect()
        }
        "SumInt" => {
            let Value::Struct(result) = field(params, "result")? else { return None };
            let multiplier = Multiplier {
                value: *statics.get(slice(result, "multipliers")?).integers()?.first()?,
                shift: *statics.get(slice(result, "shifts")?).integers()?.first()?,
            };
            let terms = i64::try_from(call.arg(0).shape.elements() / y.shape.elements()).ok()?;
            let scaled = Scaled {
                multiplier,
                wide: false,
                once: false,
                to: int(result, "zero_point")?,
                bounds: ["min", "max"].map(|bound| int(result, bound).unwrap_or(0)),
            };
            let zero_points = i64::from(int(params, "zero_points")?);
            Some(each(args[0], |x| scaled.range(x.map(|x| terms * i64::from(x) - zero_points))))
        }
        "AddInt" | "MulInt" | "Broadcast" => {
            let pair = Pair::new(kernel.kernel, params)?;
            let at = |arg: usize, channel: usize| args[arg].get(channel).or(args[arg].first()).copied();
            (0..count(y)?).map(|channel| pair.range(at(0, channel)?, at(1, channel)?)).collect()
        }
        _ => None,
    }
}

/// The entries of `table` for each range.
fn looked_up(table: &Static, [from, to]: [DType; 2], x: &[Range]) -> Option<Vec<Range>> {
    let Init::Bytes(bytes) = &table.init else { return None };
    let least = rescale::whole(from)[0];
    let range = |x: &Range| {
        let [first, last] = x.map(|x| usize::try_from(x - least).ok());
        let entries = bytes.get(first?..=last?)?.iter().map(|byte| integer(to, &[*byte]));
        entries.map(|entry| [entry; 2]).reduce(hull)
    };
    x.iter().map(range).collect()
}

/// An operator of two tensors. Each is monotonous in each argument, so that its extremes lie at theirs.
struct Pair<'a> {
    kernel: &'a str,
    params: &'a Struct,
    scaled: Option<Scaled>,
}

impl<'a> Pair<'a> {
    fn new(kernel: &'a str, params: &'a Struct) -> Option<Self> {
        let scaled = if params.name == "Broadcast" {
            None
        } else {
            let number = |name| int(params, name);
            Some(Scaled {
                multiplier: Multiplier { value: number("multiplier")?, shift: number("shift")? },
                wide: false,
                once: false,
                to: number("zero_point")?,
                bounds: [number("min")?, number("max")?],
            })
        };
        Some(Self { kernel, params, scaled })
    }

    fn range(&self, a: Range, b: Range) -> Option<Range> {
        let corners = [(a[0], b[0]), (a[0], b[1]), (a[1], b[0]), (a[1], b[1])];
        let results: Option<Vec<Range>> = corners.into_iter().map(|(a, b)| self.at(a, b)).collect();
        results?.into_iter().reduce(hull)
    }

    fn at(&self, a: i32, b: i32) -> Option<Range> {
        let sum = match self.kernel.rsplit_once('_')?.0 {
            "maximum" => return Some([a.max(b); 2]),
            "minimum" => return Some([a.min(b); 2]),
            "add" => self.term("a", a)? + self.term("b", b)?,
            "sub" => self.term("a", a)? - self.term("b", b)?,
            "mul" => {
                let Value::Array(zero_points) = field(self.params, "arg_zero_points")? else { return None };
                let [Value::Int(of_a), Value::Int(of_b)] = zero_points.as_slice() else { return None };
                (i64::from(a) - of_a) * (i64::from(b) - of_b)
            }
            _ => return None,
        };
        Some(self.scaled.as_ref()?.range([sum; 2]))
    }

    /// One side of a sum on the common scale.
    fn term(&self, side: &str, x: i32) -> Option<i64> {
        let Value::Struct(term) = field(self.params, side)? else { return None };
        let multiplier = Multiplier { value: int(term, "multiplier")?, shift: int(term, "shift")? };
        let fine = (i64::from(x) - i64::from(int(term, "zero_point")?)) << int(self.params, "bits")?;
        Some(multiplier.apply(i32::try_from(fine).ok()?).into())
    }
}

/// From sums to results.
struct Scaled {
    /// Not negative.
    multiplier: Multiplier,
    /// Sums have more than 32 bits.
    wide: bool,
    /// Sums are rounded once.
    once: bool,
    to: i32,
    bounds: [i32; 2],
}

impl Scaled {
    /// The results of sums in a range: all within the bounds where a sum may overflow.
    fn range(&self, sums: [i64; 2]) -> Range {
        let [min, max] = self.bounds;
        let result = |sum: i64| {
            let scaled = if self.wide {
                Some(self.multiplier.apply_wide(sum)).filter(|_| sum.unsigned_abs() < 1 << 47)?
            } else {
                let sum = i32::try_from(sum).ok()?;
                i32::try_from(i64::from(sum) << self.multiplier.shift.clamp(0, 31)).ok()?;
                if self.once { self.multiplier.apply_once(sum) } else { self.multiplier.apply(sum).into() }
            };
            i32::try_from(scaled).ok()?.checked_add(self.to).map(|result| result.clamp(min, max))
        };
        match sums.map(result) {
            [Some(least), Some(most)] => [least, most],
            _ => [min, max],
        }
    }
}

/// A layer of integers in numbers.
struct Sums {
    weights: Arc<[u8]>,
    of_u8: bool,
    weights_zero_point: i32,
    bias: Vec<i64>,
    /// For each channel or one for all.
    multipliers: Vec<Multiplier>,
    /// The argument's zero point.
    from: i32,
    result: Scaled,
}

impl Sums {
    fn new(lower: &Lower<'_>, layer: Layer) -> Option<Self> {
        let y = lower.result(0);
        let quant = y.quant.as_ref()?;
        let multipliers = weights::multipliers(lower, &weights::factors(lower, layer.channels, quant).ok()?).ok()?;
        let bias = lower.opt_arg(BIAS).map(|ty| ty.dtype);
        Some(Self {
            weights: lower.bytes(WEIGHTS)?,
            of_u8: y.dtype == DType::U8,
            weights_zero_point: lower.arg(WEIGHTS).quant.as_ref()?.zero_point(),
            bias: match bias {
                Some(dtype) => biases(dtype, &lower.bytes(BIAS)?),
                None => vec![0; layer.channels.count],
            },
            from: lower.quant(0).ok()?.zero_point(),
            result: Scaled {
                multiplier: *multipliers.first()?,
                wide: y.dtype == DType::I16 && bias != Some(DType::I32),
                once: y.dtype == DType::U8 && layer.channels.dense,
                to: quant.zero_point(),
                bounds: bounds(lower, quant, y.dtype),
            },
            multipliers,
        })
    }

    /// What a weight of one can contribute, for each channel of the argument.
    fn reach(&self, layer: Layer, x: &[Range]) -> Vec<[i64; 2]> {
        let centred = |x: &Range| {
            let [least, most] = x.map(|x| i64::from(x) - i64::from(self.from));
            if layer.padded { [least.min(0), most.max(0)] } else { [least, most] }
        };
        x.iter().map(centred).collect()
    }

    fn weight(&self, byte: u8) -> i64 {
        let weight = if self.of_u8 { i32::from(byte) } else { i32::from(byte.cast_signed()) };
        i64::from(weight - self.weights_zero_point)
    }

    /// Results whose every channel depends on all of `x`.
    fn dense(&self, layer: Layer, x: &[Range]) -> Vec<Range> {
        let reach = self.reach(layer, x);
        let filters = self.weights.chunks(self.weights.len() / layer.channels.count);
        let range = |(channel, filter): (usize, &[u8])| {
            let mut sums = [self.bias[channel]; 2];
            for taps in filter.chunks(reach.len()) {
                for (byte, reach) in taps.iter().zip(&reach) {
                    add(&mut sums, self.weight(*byte), *reach);
                }
            }
            self.finish(channel, sums)
        };
        filters.enumerate().map(range).collect()
    }

    /// Results whose every channel depends on one of `x`.
    fn depthwise(&self, layer: Layer, x: &[Range]) -> Vec<Range> {
        let (reach, count) = (self.reach(layer, x), layer.channels.count);
        let mut sums: Vec<[i64; 2]> = self.bias.iter().map(|bias| [*bias; 2]).collect();
        for taps in self.weights.chunks(count) {
            for (channel, byte) in taps.iter().enumerate() {
                add(&mut sums[channel], self.weight(*byte), reach[channel * reach.len() / count]);
            }
        }
        sums.into_iter().enumerate().map(|(channel, sums)| self.finish(channel, sums)).collect()
    }

    fn finish(&self, channel: usize, sums: [i64; 2]) -> Range {
        let multiplier = *self.multipliers.get(channel).unwrap_or(&self.result.multiplier);
        Scaled { multiplier, ..self.result }.range(sums)
    }
}

/// `weight` times what lies between both ends of `reach`, onto both ends of `sums`.
fn add(sums: &mut [i64; 2], weight: i64, reach: [i64; 2]) {
    let [least, most] = if weight < 0 { [reach[1], reach[0]] } else { reach };
    sums[0] = sums[0].saturating_add(weight * least);
    sums[1] = sums[1].saturating_add(weight * most);
}

/// The elements of a bias.
pub(crate) fn biases(dtype: DType, bytes: &[u8]) -> Vec<i64> {
    match dtype {
        DType::I64 => bytes.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b)).collect(),
        _ => bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b).into()).collect(),
    }
}

fn int(params: &Struct, name: &str) -> Option<i32> {
    match field(params, name)? {
        Value::Int(number) => i32::try_from(*number).ok(),
        _ => None,
    }
}

fn slice(params: &Struct, name: &str) -> Option<StaticId> {
    match field(params, name)? {
        Value::Slice(id) => Some(*id),
        _ => None,
    }
}

impl Static {
    /// Its elements, of i8 or i32, where they are known.
    fn integers(&self) -> Option<Vec<i32>> {
        let Init::Bytes(bytes) = &self.init else { return None };
        Some(match self.dtype {
            DType::I32 => bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b)).collect(),
            _ => bytes.iter().map(|b| b.cast_signed().into()).collect(),
        })
    }
}

//! Operators whose results are known while the file is read: the arithmetic of
//! shapes that converters leave behind, and weights that are stored in f16.

use super::constant::{Bytes, Constant, size};
use super::graph::Graph;
use super::schema::options::{self, Activation};
use super::schema::{ElementType, Operator};
use super::slice_lists::slice_lists;
use super::types;
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::half;

/// Most integers that are computed with: shapes and indices, not weights.
const MAX_LEN: usize = 64;

/// Computes the result of `op` if all that it depends on is known; false if it is not.
pub(super) fn fold(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<bool, Diagnostics> {
    let folded = match op.kind.unwrap_or_default() {
        "ADD" if graph.options::<options::Add>(op)?.activation == Activation::None => {
            elementwise(graph, op, i64::checked_add)?
        }
        "BROADCAST_ARGS" => broadcast(graph, op)?,
        "CAST" => cast(graph, op)?,
        "CONCATENATION" if graph.options::<options::Concatenation>(op)?.activation == Activation::None => {
            joined(graph, op)?
        }
        "DEQUANTIZE" => widened(graph, op)?,
        "FILL" => filled(graph, op)?,
        "FLOOR_DIV" => elementwise(graph, op, floor_div)?,
        "FLOOR_MOD" => elementwise(graph, op, floor_mod)?,
        "GATHER" => gathered(graph, op)?,
        "MAXIMUM" => elementwise(graph, op, |a, b| Some(a.max(b)))?,
        "MINIMUM" => elementwise(graph, op, |a, b| Some(a.min(b)))?,
        "MUL" if graph.options::<options::Mul>(op)?.activation == Activation::None => {
            elementwise(graph, op, i64::checked_mul)?
        }
        "PACK" => joined(graph, op)?,
        "RANGE" => range(graph, op)?,
        "RANK" => rank(graph, op)?,
        "REDUCE_PROD" => product(graph, op)?,
        "RESHAPE" | "SQUEEZE" | "EXPAND_DIMS" => reshaped(graph, op)?,
        "SHAPE" => shape(graph, op)?,
        "STRIDED_SLICE" => part(graph, op)?,
        "SUB" if graph.options::<options::Sub>(op)?.activation == Activation::None => {
            elementwise(graph, op, i64::checked_sub)?
        }
        "WHERE" => places(graph, op)?,
        "ZEROS_LIKE" => zeros(graph, op)?,
        _ => None,
    };
    folded.map_or(Ok(false), |constant| graph.fold(op, constant).map(|()| true)).map_err(Diagnostics::from)
}

type Folded<'a> = Result<Option<Constant<'a>>, Diagnostics>;

/// The few integers that `op` reads at `place`, if they are known.
fn small<'a>(
    graph: &Graph<'a>,
    op: &Operator<'_>,
    place: usize,
) -> Result<Option<(Constant<'a>, Vec<i64>)>, Diagnostic> {
    let constant = graph.constant(op, place)?.filter(|constant| constant.len() <= MAX_LEN);
    Ok(constant.and_then(|constant| constant.ints().map(|ints| (constant, ints))))
}

fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

fn floor_mod(a: i64, b: i64) -> Option<i64> {
    a.checked_sub(floor_div(a, b)?.checked_mul(b)?)
}

/// Two tensors of equal dimensions, or one of them a single element.
fn elementwise<'a>(graph: &Graph<'a>, op: &Operator<'_>, f: fn(i64, i64) -> Option<i64>) -> Folded<'a> {
    let (Some((a, left)), Some((b, right))) = (small(graph, op, 0)?, small(graph, op, 1)?) else { return Ok(None) };
    let dims = match (left.len(), right.len()) {
        _ if a.dims == b.dims => &a.dims,
        (_, 1) if b.dims.len() <= a.dims.len() => &a.dims,
        (1, _) if a.dims.len() <= b.dims.len() => &b.dims,
        _ => return Ok(None),
    };
    let at = |list: &[i64], index: usize| if list.len() == 1 { list[0] } else { list[index] };
    let values: Option<Vec<i64>> = (0..size(dims)).map(|i| f(at(&left, i), at(&right, i))).collect();
    Ok(values.and_then(|values| Constant::from_ints(a.element, dims.clone(), &values)))
}

fn cast<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let Some((constant, values)) = small(graph, op, 0)? else { return Ok(None) };
    let element = op.outputs.first().map(|&index| graph.subgraph.tensors[index].element);
    Ok(element.and_then(|element| Constant::from_ints(element, constant.dims, &values)))
}

/// Tensors one after the other along the outermost dimension, which is a new one for `PACK`.
fn joined<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let pack = op.kind == Some("PACK");
    let axis =
        if pack { graph.options::<options::Pack>(op)?.axis } else { graph.options::<options::Concatenation>(op)?.axis };
    if axis != 0 || op.inputs.is_empty() || op.inputs.len() > MAX_LEN {
        return Ok(None);
    }
    let mut values = Vec::new();
    let mut parts = Vec::new();
    for place in 0..op.inputs.len() {
        let Some((part, ints)) = small(graph, op, place)? else { return Ok(None) };
        values.extend(ints);
        parts.push(part);
    }
    let (dims, count) = if pack {
        (parts[0].dims.clone(), parts.len())
    } else {
        let Some((_, inner)) = parts[0].dims.split_first() else { return Ok(None) };
        (inner.to_vec(), parts.iter().map(|part| part.dims.first().copied().unwrap_or(0)).sum())
    };
    let inner = |part: &Constant<'_>| part.dims.get(usize::from(!pack)..).is_some_and(|inner| *inner == *dims);
    if !parts.iter().all(inner) {
        return Ok(None);
    }
    let dims = [&[count], dims.as_slice()].concat();
    Ok(Constant::from_ints(parts[0].element, dims, &values))
}

/// The same elements under the dimensions that the file gives to the result.
fn reshaped<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let (Some(constant), [output]) = (graph.constant(op, 0)?, op.outputs.as_slice()) else { return Ok(None) };
    let tensor = &graph.subgraph.tensors[*output];
    let dims: Option<Vec<usize>> = tensor.shape.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let fixed = tensor.signature.iter().all(|&dim| dim >= 0);
    let same =
        |dims: &Vec<usize>| fixed && dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)) == Some(constant.len());
    Ok(dims.filter(same).map(|dims| Constant { dims, ..constant.clone() }))
}

/// f16 as f32, which holds every one of its values; integers as the reals that they stand for.
fn widened<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let Some(constant) = graph.constant(op, 0)? else { return Ok(None) };
    if constant.element != ElementType::F16 {
        return dequantized(graph, op, constant);
    }
    graph.charge(2 * constant.data.len())?;
    let halves = constant.data.as_chunks().0.iter();
    let data = halves.flat_map(|half| half::to_f32(u16::from_le_bytes(*half)).to_le_bytes()).collect();
    Ok(Some(Constant { element: ElementType::F32, dims: constant.dims, data: Bytes::Computed(data) }))
}

/// Quantised integers as reals.
#[allow(clippy::cast_precision_loss, reason = "integers that are quantised have few bits")]
fn dequantized<'a>(graph: &Graph<'a>, op: &Operator<'_>, constant: Constant<'a>) -> Folded<'a> {
    let index = op.inputs.first().copied().flatten();
    let quantization = index.and_then(|index| graph.subgraph.tensors[index].quantization.as_ref());
    let quant = types::constant_type(&constant, quantization).ok().and_then(|ty| ty.quant);
    let Some(quant) = quant else { return Ok(None) };
    let stored: &dyn Fn(usize) -> i32 = match constant.element {
        ElementType::I8 => &|i| constant.data[i].cast_signed().into(),
        ElementType::U8 => &|i| constant.data[i].into(),
        ElementType::I16 => &|i| i16::from_le_bytes(constant.data.as_chunks().0[i]).into(),
        _ => return Ok(None),
    };
    graph.charge(4 * constant.len())?;
    let run = quant.axis().map_or(constant.len(), |axis| size(&constant.dims[axis + 1..]));
    let channels = quant.scales().len();
    let real = |i: usize| {
        let channel = i / run.max(1) % channels;
        quant.scale(channel) * (stored(i) - quant.zero_points()[channel]) as f32
    };
    let data = (0..constant.len()).flat_map(|i| real(i).to_le_bytes()).collect();
    Ok(Some(Constant { element: ElementType::F32, dims: constant.dims, data: Bytes::Computed(data) }))
}

/// A number as often as dimensions say.
fn filled<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let (Some((_, dims)), Some((value, ints))) = (small(graph, op, 0)?, small(graph, op, 1)?) else { return Ok(None) };
    let dims: Option<Vec<usize>> = dims.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let dims =
        dims.filter(|dims| dims.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim)).is_some_and(|n| n <= MAX_LEN));
    Ok(dims.zip(ints.first()).and_then(|(dims, &int)| {
        let values = vec![int; dims.iter().product()];
        Constant::from_ints(value.element, dims, &values)
    }))
}

/// As many zeros as there are integers.
fn zeros<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let Some((constant, ints)) = small(graph, op, 0)? else { return Ok(None) };
    Ok(Constant::from_ints(constant.element, constant.dims, &vec![0; ints.len()]))
}

/// The dimensions that two lists of them broadcast to.
fn broadcast<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let (Some((a, left)), Some((_, right))) = (small(graph, op, 0)?, small(graph, op, 1)?) else { return Ok(None) };
    let rank = left.len().max(right.len());
    // Counted from the last.
    let size = |list: &[i64], back: usize| list.len().checked_sub(back).map_or(1, |index| list[index]);
    let meet = |back: usize| match (size(&left, back), size(&right, back)) {
        (1, other) | (other, 1) => Some(other),
        (a, b) => (a == b).then_some(a),
    };
    let dims: Option<Vec<i64>> = (1..=rank).rev().map(meet).collect();
    let dims = dims.ok_or_else(|| {
        let error = graph.error(Kind::Broadcast, "these shapes do not broadcast");
        error.got(format!("{left:?} and {right:?}"))
    })?;
    Ok(Constant::from_ints(a.element, vec![rank], &dims))
}

/// Numbers from a first one on in equal steps, up to a limit.
fn range<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let number = |place| graph.constant(op, place).map(|constant| constant.filter(|constant| constant.len() == 1));
    let (Some(start), Some(limit), Some(step)) = (number(0)?, number(1)?, number(2)?) else { return Ok(None) };
    let all = [&start, &limit, &step];
    if let [Some(from), Some(to), Some(by)] = all.map(|c| c.floats().and_then(|values| values.first().copied())) {
        let count = ((f64::from(to) - f64::from(from)) / f64::from(by)).ceil();
        // Not for what is no number either.
        if !(0.0..=f64::from(u16::MAX)).contains(&count) {
            return Ok(None);
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in its range")]
        let count = count as u16;
        graph.charge(4 * usize::from(count))?;
        let data = (0..count).flat_map(|i| (from + f32::from(i) * by).to_le_bytes()).collect();
        return Ok(Some(Constant { element: start.element, dims: vec![count.into()], data: Bytes::Computed(data) }));
    }
    let [Some(from), Some(to), Some(by)] = all.map(|c| c.ints().and_then(|values| values.first().copied())) else {
        return Ok(None);
    };
    if by == 0 {
        return Ok(None);
    }
    let distance = to.checked_sub(from).filter(|distance| (*distance < 0) == (by < 0));
    let count = distance.map_or(0, |distance| distance.unsigned_abs().div_ceil(by.unsigned_abs()));
    let Ok(count) = u16::try_from(count) else { return Ok(None) };
    let count = usize::from(count);
    graph.charge(16 * count)?;
    let values: Vec<i64> = std::iter::successors(Some(from), |value| value.checked_add(by)).take(count).collect();
    Ok(Constant::from_ints(start.element, vec![count], &values))
}

/// The indices of what is not zero, dimension by dimension.
fn places<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let Some(constant) = graph.constant(op, 0)? else { return Ok(None) };
    let (rank, len) = (constant.dims.len(), constant.len());
    graph.charge(len.saturating_mul(24 * (rank + 1)))?;
    let found: Vec<usize> = match (constant.floats(), constant.ints()) {
        (Some(values), _) => (0..len).filter(|&i| values[i] != 0.0).collect(),
        (None, Some(values)) => (0..len).filter(|&i| values[i] != 0).collect(),
        (None, None) => return Ok(None),
    };
    let strides: Vec<usize> = (0..rank).map(|axis| size(&constant.dims[axis + 1..])).collect();
    let index = |place: usize, axis: usize| place / strides[axis] % constant.dims[axis];
    let indices = found.iter().flat_map(|&place| (0..rank).map(move |axis| (place, axis)));
    let indices: Vec<i64> =
        indices.map(|(place, axis)| i64::try_from(index(place, axis)).unwrap_or(i64::MAX)).collect();
    Ok(Constant::from_ints(ElementType::I64, vec![found.len(), rank], &indices))
}

/// Elements of a list.
fn gathered<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let (Some((list, values)), Some((places, indices))) = (small(graph, op, 0)?, small(graph, op, 1)?) else {
        return Ok(None);
    };
    let options: options::Gather = graph.options(op)?;
    if list.dims.len() != 1 || options.axis != 0 || options.batch_dims != 0 {
        return Ok(None);
    }
    let taken: Option<Vec<i64>> =
        indices.iter().map(|&index| usize::try_from(index).ok().and_then(|index| values.get(index)).copied()).collect();
    Ok(taken.and_then(|taken| Constant::from_ints(list.element, places.dims, &taken)))
}

/// The product of a whole list.
fn product<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let (Some((list, values)), Some((_, axes))) = (small(graph, op, 0)?, small(graph, op, 1)?) else { return Ok(None) };
    let options: options::Reducer = graph.options(op)?;
    if list.dims.len() != 1 || !matches!(axes.as_slice(), [0 | -1]) {
        return Ok(None);
    }
    let product = values.iter().try_fold(1i64, |product, &value| product.checked_mul(value));
    let dims = if options.keep_dims { vec![1] } else { Vec::new() };
    Ok(product.and_then(|product| Constant::from_ints(list.element, dims, &[product])))
}

fn shape<'a>(graph: &mut Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let options: options::Shape = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let dims: Vec<i64> = graph.ty(x).shape.iter().map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX)).collect();
    // Absent, the option reads as f32, which stands for i32.
    let element = if options.element == ElementType::I64 { ElementType::I64 } else { ElementType::I32 };
    Ok(Constant::from_ints(element, vec![dims.len()], &dims))
}

/// The number of dimensions.
fn rank<'a>(graph: &mut Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let x = graph.read(op, 0)?;
    let rank = i64::try_from(graph.ty(x).shape.rank()).unwrap_or(i64::MAX);
    Ok(Constant::from_ints(ElementType::I32, Vec::new(), &[rank]))
}

/// A part of a tensor.
fn part<'a>(graph: &Graph<'a>, op: &Operator<'_>) -> Folded<'a> {
    let Some((whole, values)) = small(graph, op, 0)? else { return Ok(None) };
    let lists = slice_lists(graph, op, &whole.dims)?;
    let cut = lists.entries().cut(&whole.dims).map_err(|(_, message)| graph.error(Kind::ModelFile, message))?;
    if values.is_empty() {
        return Ok(Constant::from_ints(whole.element, cut.dims, &[]));
    }
    // The places of the elements taken, dimension by dimension.
    let mut places = vec![0usize];
    for (range, &dim) in cut.ranges.iter().zip(&whole.dims) {
        let index = |i: usize| range.begin.wrapping_add_signed(range.stride.wrapping_mul(i.cast_signed()));
        places = places.into_iter().flat_map(|place| (0..range.size).map(move |i| place * dim + index(i))).collect();
    }
    let taken: Vec<i64> = places.into_iter().filter_map(|place| values.get(place).copied()).collect();
    Ok(Constant::from_ints(whole.element, cut.dims, &taken))
}

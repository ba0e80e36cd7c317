//! Long short-term memory: a sequence through a cell with four gates.

use super::curve::Curve;
#[cfg(feature = "libm")]
use super::hybrid::quantized;
use super::svdf::{Scaled, dot};
use super::{Elements, Integer, Sink, Units};

/// The shape of a layer. Gates stand in the order input, forget, cell, output.
#[derive(Clone, Copy, Debug)]
pub struct Lstm {
    /// Sequences.
    pub batch: usize,
    /// Elements of a sequence.
    pub steps: usize,
    /// Numbers of an element.
    pub inputs: usize,
    /// Cells.
    pub units: usize,
    /// Elements of one time, not of one sequence, lie side by side.
    pub time_major: bool,
}

/// Parameters of [`lstm_i8`].
#[derive(Clone, Copy, Debug)]
pub struct LstmI8<'a> {
    /// The shape.
    pub shape: Lstm,
    /// `[gate, unit, input]`, zero point 0.
    pub weights: &'a [i8],
    /// For each row of `weights`, its bias minus the argument's zero point times its sum; empty for zeros.
    pub bias: &'a [i32],
    /// `[gate, unit, unit]`, zero point 0.
    pub recurrent: &'a [i8],
    /// For each row of `recurrent`, minus the hidden state's zero point times its sum; empty for zeros.
    pub offsets: &'a [i32],
    /// From sums of `weights` to steps of 2^-12, for each gate.
    pub from_input: [Scaled; 4],
    /// From sums of `recurrent` to steps of 2^-12, for each gate.
    pub from_hidden: [Scaled; 4],
    /// From the forget gate times the cell to the cell.
    pub kept: Scaled,
    /// From the input gate times the cell gate to the cell.
    pub added: Scaled,
    /// Bounds of the cell.
    pub bounds: [i16; 2],
    /// The functions of the gates, whose arguments have steps of 2^-12.
    pub gate: Curve<'a>,
    /// The function of the cell.
    pub cell: Curve<'a>,
    /// From the output gate times the function of the cell to the hidden state.
    pub hidden: Scaled,
}

/// Parameters of [`lstm_f32`].
#[derive(Clone, Copy, Debug)]
pub struct LstmF32<'a> {
    /// The shape.
    pub shape: Lstm,
    /// `[gate, unit, input]`
    pub weights: &'a [f32],
    /// One a row of `weights`; empty for zeros.
    pub bias: &'a [f32],
    /// `[gate, unit, unit]`
    pub recurrent: &'a [f32],
    /// Largest magnitude of the cell; infinite for any.
    pub clip: f32,
}

/// Parameters of [`lstm_hybrid_f32`].
#[derive(Clone, Copy, Debug)]
pub struct LstmHybrid<'a> {
    /// The shape.
    pub shape: Lstm,
    /// Elements and hidden values are quantised with a zero point.
    pub asymmetric: bool,
    /// `[gate, unit, input]`, zero point 0.
    pub weights: &'a [i8],
    /// The scale of each gate's `weights`.
    pub scales: [f32; 4],
    /// For each row of `weights`, its sum; empty if not `asymmetric`.
    pub sums: &'a [i32],
    /// One a row of `weights`; empty for zeros.
    pub bias: &'a [f32],
    /// `[gate, unit, unit]`, zero point 0.
    pub recurrent: &'a [i8],
    /// The scale of each gate's `recurrent`.
    pub recurrent_scales: [f32; 4],
    /// For each row of `recurrent`, its sum; empty if not `asymmetric`.
    pub recurrent_sums: &'a [i32],
    /// Largest magnitude of the cell; infinite for any.
    pub clip: f32,
}

/// Each sequence of `x` from the states `h` and `c` on; `n` and `m` become the states after it. A unit is a
/// sequence: its states are copied first, and of each element all hidden values are written to `y` before `n`.
/// The cell has i16.
#[allow(clippy::too_many_arguments, reason = "the windows of two states")]
pub fn lstm_i8(
    p: &LstmI8<'_>,
    x: impl Elements<i8>,
    h: impl Elements<i8>,
    c: impl Elements<i16>,
    y: impl Sink<i8>,
    n: impl Sink<i8>,
    m: impl Sink<i16>,
    units: Units,
) {
    let [min, max] = p.bounds;
    sequences(&p.shape, x, (h, c), y, (n, m), units, |x, hidden| {
        move |unit, cell: i16| {
            let row = |gate: usize| gate * p.shape.units + unit;
            let sum = |gate: usize| {
                let sum = dot(x, p.weights.after(row(gate) * p.shape.inputs), p.bias.at(row(gate)));
                let back = dot(hidden, p.recurrent.after(row(gate) * p.shape.units), p.offsets.at(row(gate)));
                let scaled = |list: &[Scaled; 4], sum| list.get(gate).map_or(0, |scaled| scaled.of(sum));
                i16::nearest(scaled(&p.from_input, sum) + scaled(&p.from_hidden, back))
            };
            let [input, forget, output] = [0, 1, 3].map(|gate| i32::from(p.gate.sigmoid(sum(gate))));
            let candidate = i32::from(p.gate.tanh(sum(2)));
            let kept = p.kept.of(forget * i32::from(cell));
            let cell = i16::nearest(kept + p.added.of(input * candidate)).max(min).min(max);
            (i8::low(p.hidden.of(output * i32::from(p.cell.tanh(cell)))), cell)
        }
    });
}

/// As [`lstm_i8`] of f32: products are summed in order, the bias is added to those of `x`, then those of the hidden
/// state.
#[cfg(feature = "libm")]
#[allow(clippy::too_many_arguments, reason = "the windows of two states")]
pub fn lstm_f32(
    p: &LstmF32<'_>,
    x: impl Elements<f32>,
    h: impl Elements<f32>,
    c: impl Elements<f32>,
    y: impl Sink<f32>,
    n: impl Sink<f32>,
    m: impl Sink<f32>,
    units: Units,
) {
    sequences(&p.shape, x, (h, c), y, (n, m), units, |x, hidden| {
        move |unit, cell: f32| {
            let row = |gate: usize| gate * p.shape.units + unit;
            let dot = |x: &mut dyn Iterator<Item = (f32, f32)>| x.fold(0.0, |sum, (x, w)| sum + x * w);
            let sum = |gate: usize| {
                let sum = dot(&mut x.values().zip(p.weights.after(row(gate) * p.shape.inputs).values()));
                let back = dot(&mut hidden.values().zip(p.recurrent.after(row(gate) * p.shape.units).values()));
                (sum + p.bias.at(row(gate))) + back
            };
            cell_f32(sum, cell, p.clip)
        }
    });
}

/// As [`lstm_f32`] with weights of i8: each element and the hidden values before it are quantised into the scratch `q`.
#[cfg(feature = "libm")]
#[allow(clippy::too_many_arguments, reason = "the windows of two states")]
pub fn lstm_hybrid_f32(
    p: &LstmHybrid<'_>,
    x: impl Elements<f32>,
    h: impl Elements<f32>,
    c: impl Elements<f32>,
    y: impl Sink<f32>,
    n: impl Sink<f32>,
    m: impl Sink<f32>,
    q: impl Sink<i8>,
    units: Units,
) {
    let (elements, state) = (q.part(0..p.shape.inputs), q.after(p.shape.inputs));
    sequences(&p.shape, x, (h, c), y, (n, m), units, |x, hidden| {
        let (forth, back) = (quantized(x, p.asymmetric, elements), quantized(hidden, p.asymmetric, state));
        let scale = |scales: &[f32; 4], gate: usize| scales.get(gate).copied().unwrap_or(0.0);
        move |unit, cell: f32| {
            let sum = |gate: usize| {
                let row = gate * p.shape.units + unit;
                let sum = dot(elements, p.weights.after(row * p.shape.inputs), 0);
                let sum = p.bias.at(row) + forth.real(sum, scale(&p.scales, gate), p.sums.at(row));
                let again = dot(state, p.recurrent.after(row * p.shape.units), 0);
                sum + back.real(again, scale(&p.recurrent_scales, gate), p.recurrent_sums.at(row))
            };
            cell_f32(sum, cell, p.clip)
        }
    });
}

/// The hidden value and the cell after `cell`, from the sums of the gates.
#[cfg(feature = "libm")]
#[inline(always)]
fn cell_f32(sum: impl Fn(usize) -> f32, cell: f32, clip: f32) -> (f32, f32) {
    use super::unary::sigmoid;
    let [input, forget, output] = [0, 1, 3].map(|gate| sigmoid(sum(gate)));
    let cell = forget * cell + input * libm::tanhf(sum(2));
    let cell = if cell > clip {
        clip
    } else if cell < -clip {
        -clip
    } else {
        cell
    };
    (output * libm::tanhf(cell), cell)
}

/// Each sequence of `units`; `element` makes of an element and the hidden values before it what computes the hidden
/// value and the cell of a unit from the cell before it.
#[inline(always)]
fn sequences<T: Copy, C: Copy, X: Elements<T>, N: Sink<T>, F: Fn(usize, C) -> (T, C)>(
    p: &Lstm,
    x: X,
    (h, c): (impl Elements<T>, impl Elements<C>),
    y: impl Sink<T>,
    (n, m): (N, impl Sink<C>),
    units: Units,
    element: impl Fn(X, N) -> F,
) {
    for sequence in units {
        let state = sequence * p.units..(sequence + 1) * p.units;
        let (n, m) = (n.part(state.clone()), m.part(state.clone()));
        for (unit, (hidden, cell)) in h.part(state.clone()).values().zip(c.part(state).values()).enumerate() {
            n.put(unit, hidden);
            m.put(unit, cell);
        }
        for step in 0..p.steps {
            let place = if p.time_major { step * p.batch + sequence } else { sequence * p.steps + step };
            let x = x.part(place * p.inputs..(place + 1) * p.inputs);
            let y = y.part(place * p.units..(place + 1) * p.units);
            let cell = element(x, n);
            for unit in 0..p.units {
                let (hidden, new) = cell(unit, m.at(unit));
                y.put(unit, hidden);
                m.put(unit, new);
            }
            for (unit, hidden) in y.values().enumerate() {
                n.put(unit, hidden);
            }
        }
    }
}

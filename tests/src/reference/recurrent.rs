//! Layers with state, from their definitions.

use super::fixed_point::{multiplier, multiply};

/// An integer SVDF layer: `[filter, input]` features, `[filter, memory]` time.
#[derive(Debug)]
pub struct SvdfInt<'a> {
    /// Filters that make a result.
    pub rank: usize,
    /// Elements of a row.
    pub inputs: usize,
    /// Runs that are remembered.
    pub memory: usize,
    /// Features.
    pub features: &'a [i8],
    /// Time.
    pub time: &'a [i32],
    /// Bias, one a result.
    pub bias: &'a [i32],
    /// Scales of argument, features, time, state and result.
    pub scales: [f32; 5],
    /// Zero points of argument, state and result.
    pub zero_points: [i32; 3],
    /// Bounds of the state.
    pub range: [i32; 2],
    /// Lower bound of the result.
    pub min: i32,
}

impl SvdfInt<'_> {
    /// The results for `x`, and the new state.
    #[must_use]
    pub fn run(&self, x: &[i8], state: &[i32]) -> (Vec<i8>, Vec<i32>) {
        let [x_scale, features, time, state_scale, y_scale] = self.scales;
        let [x_zero, state_zero, y_zero] = self.zero_points.map(i64::from);
        let filters = self.features.len() / self.inputs;
        let first = multiplier(f64::from(x_scale * features / state_scale));
        let second = multiplier(f64::from(state_scale * time / y_scale));
        let mut new: Vec<i64> = state.iter().map(|s| i64::from(*s)).collect();
        let mut results = Vec::new();
        for (row, x) in x.chunks(self.inputs).enumerate() {
            for unit in 0..filters / self.rank {
                let mut sum = i64::from(self.bias[unit]);
                for filter in unit * self.rank..(unit + 1) * self.rank {
                    let weights = &self.features[filter * self.inputs..][..self.inputs];
                    let dot: i64 = x.iter().zip(weights).map(|(x, w)| (i64::from(*x) - x_zero) * i64::from(*w)).sum();
                    let start = (row * filters + filter) * self.memory;
                    let memory = &mut new[start..start + self.memory];
                    memory.rotate_left(1);
                    let [min, max] = self.range.map(i64::from);
                    memory[self.memory - 1] = (multiply(dot, first) + state_zero).clamp(min, max);
                    let time = &self.time[filter * self.memory..][..self.memory];
                    sum += memory.iter().zip(time).map(|(s, w)| (s - state_zero) * i64::from(*w)).sum::<i64>();
                }
                let y = (multiply(sum, second) + y_zero).clamp(self.min.into(), 127);
                results.push(i8::try_from(y).unwrap_or(0));
            }
        }
        (results, new.iter().map(|s| i32::try_from(*s).unwrap_or(0)).collect())
    }
}

/// As [`SvdfInt`] in f64, without bounds.
#[must_use]
pub fn svdf_f32(
    [rank, inputs, memory]: [usize; 3],
    [x, state, features, time, bias]: [&[f32]; 5],
) -> (Vec<f64>, Vec<f64>) {
    let wide = |v: &[f32]| -> Vec<f64> { v.iter().map(|v| f64::from(*v)).collect() };
    let filters = features.len() / inputs;
    let mut new = wide(state);
    let mut results = Vec::new();
    for (row, x) in wide(x).chunks(inputs).enumerate() {
        for unit in 0..filters / rank {
            let mut sum = f64::from(bias[unit]);
            for filter in unit * rank..(unit + 1) * rank {
                let weights = wide(&features[filter * inputs..][..inputs]);
                let start = (row * filters + filter) * memory;
                new[start..start + memory].rotate_left(1);
                new[start + memory - 1] = x.iter().zip(&weights).map(|(x, w)| x * w).sum();
                let time = wide(&time[filter * memory..][..memory]);
                sum += new[start..start + memory].iter().zip(&time).map(|(s, w)| s * w).sum::<f64>();
            }
            results.push(sum);
        }
    }
    (results, new)
}

/// Long short-term memory in f64.
#[derive(Debug)]
pub struct Lstm<'a> {
    /// Sequences, elements of each, numbers of an element, cells.
    pub sizes: [usize; 4],
    /// Elements of one time lie side by side.
    pub time_major: bool,
    /// Largest magnitude of a cell.
    pub clip: f64,
    /// `[gate, unit, input]`
    pub weights: &'a [f64],
    /// `[gate, unit, unit]`
    pub recurrent: &'a [f64],
    /// `[gate, unit]`
    pub bias: &'a [f64],
}

impl Lstm<'_> {
    /// The results for `x`, and the states after it.
    #[must_use]
    pub fn run(&self, x: &[f64], hidden: &[f64], cell: &[f64]) -> [Vec<f64>; 3] {
        let [batch, steps, inputs, units] = self.sizes;
        let (mut hidden, mut cell) = (hidden.to_vec(), cell.to_vec());
        let mut results = vec![0.0; batch * steps * units];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        for sequence in 0..batch {
            for step in 0..steps {
                let place = if self.time_major { step * batch + sequence } else { sequence * steps + step };
                let x = &x[place * inputs..][..inputs];
                let before = hidden[sequence * units..][..units].to_vec();
                for unit in 0..units {
                    let gate = |gate: usize| {
                        let row = gate * units + unit;
                        let back = dot(&before, &self.recurrent[row * units..][..units]);
                        dot(x, &self.weights[row * inputs..][..inputs]) + self.bias[row] + back
                    };
                    let place_of_cell = sequence * units + unit;
                    let new = sigmoid(gate(1)) * cell[place_of_cell] + sigmoid(gate(0)) * gate(2).tanh();
                    cell[place_of_cell] = new.clamp(-self.clip, self.clip);
                    hidden[place_of_cell] = sigmoid(gate(3)) * cell[place_of_cell].tanh();
                    results[place * units + unit] = hidden[place_of_cell];
                }
            }
        }
        [results, hidden, cell]
    }
}

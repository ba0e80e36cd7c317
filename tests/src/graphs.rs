//! Random networks: branches, concats, views, shared inputs, several outputs.

use crate::build::{Builder, f32_type, i8_type, int, ints, name, q};
use crate::random::Random;
use planner_core::model::{InputMode, Model, TensorId, TensorType};
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;

/// A network under construction with the types of its tensors.
struct Graph {
    builder: Builder,
    random: Random,
    /// Tensors that may be used, with their shapes, all of one element type.
    tensors: Vec<(TensorId, Vec<usize>)>,
    reads: Vec<usize>,
    /// All tensors have this quantisation, or are f32.
    quant: Option<Quant>,
    /// How many tensors are given: inputs and states, which stand first.
    inputs: usize,
    states: usize,
}

/// A random network of up to `most` operators, valid by construction.
///
/// # Panics
/// If an operator refuses what this module believes to be valid.
#[must_use]
pub fn random_model(seed: u64, most: usize) -> Model {
    let mut random = Random::new(seed);
    let quant = random.one_in(2).then(|| q(1.0 / 32.0, i32::try_from(random.int(-20, 20)).unwrap_or(0)));
    let operators = random.size(1, most);
    let inputs = random.size(1, 3);
    let states = if random.one_in(2) { random.size(1, 3) } else { 0 };
    let mut graph =
        Graph { builder: Builder::new(), random, tensors: Vec::new(), reads: Vec::new(), quant, inputs, states };
    for index in 0..inputs {
        let channels = graph.random.pick(&[1, 2, 4]);
        graph.input(index, &[1, 4, 4, channels]);
    }
    for index in 0..states {
        let channels = graph.random.pick(&[1, 2, 4]);
        graph.state(index, &[1, 4, 4, channels]);
    }
    for _ in 0..operators {
        graph.operator();
    }
    for index in inputs..inputs + states {
        graph.assign(index);
    }
    graph.finish()
}

impl Graph {
    fn ty(&self, dims: &[usize]) -> TensorType {
        match &self.quant {
            Some(quant) => i8_type(dims, quant.clone()),
            None => f32_type(dims),
        }
    }

    fn input(&mut self, index: usize, dims: &[usize]) {
        let ty = self.ty(dims);
        let tensor = self.builder.input(&format!("input_{index}"), ty);
        let mode = self.random.pick(&[InputMode::Plain, InputMode::Plain, InputMode::Kept, InputMode::Borrowed]);
        self.builder.model.inputs[index].mode = mode;
        self.add(tensor, dims.to_vec());
    }

    fn state(&mut self, index: usize, dims: &[usize]) {
        let ty = self.ty(dims);
        let elements = ty.shape.elements();
        let bytes = if self.random.one_in(3) {
            vec![0; ty.bytes()]
        } else if self.quant.is_some() {
            bytemuck::cast_slice(&self.random.i8s(elements)).to_vec()
        } else {
            bytemuck::cast_slice(&self.random.f32s(elements)).to_vec()
        };
        let tensor = self.builder.state(&format!("state_{index}"), ty, bytes);
        self.add(tensor, dims.to_vec());
    }

    /// Gives the state at `index` a value: any tensor of its type, or one made of another.
    fn assign(&mut self, index: usize) {
        let (state, dims) = self.tensors[index].clone();
        if self.reads[index] == 0 {
            let (read, dims) = self.read(index);
            self.apply("relu", &[read], &[], dims);
        }
        let found = if self.random.one_in(3) { None } else { self.partner(|other| other == dims) };
        let value = match found {
            Some((value, _)) if self.random.one_in(2) => value,
            Some((value, _)) => self.results("add", &[value, state], &[])[0],
            None => self.results("leaky_relu", &[state], &[])[0],
        };
        self.builder.assign(state, value);
    }

    fn add(&mut self, tensor: TensorId, dims: Vec<usize>) {
        self.tensors.push((tensor, dims));
        self.reads.push(0);
    }

    /// A tensor to read, recent ones more often.
    fn pick(&mut self) -> (TensorId, Vec<usize>) {
        let count = self.tensors.len();
        let index = if self.random.one_in(3) { self.random.size(0, count - 1) } else { count - 1 };
        self.read(index)
    }

    fn read(&mut self, index: usize) -> (TensorId, Vec<usize>) {
        self.reads[index] += 1;
        self.tensors[index].clone()
    }

    /// Another tensor of which `fits` is true, if there is one.
    fn partner(&mut self, fits: impl Fn(&[usize]) -> bool) -> Option<(TensorId, Vec<usize>)> {
        let found: Vec<usize> = (0..self.tensors.len()).filter(|&i| fits(&self.tensors[i].1)).collect();
        let index = *found.get(self.random.size(0, found.len().max(1) - 1))?;
        Some(self.read(index))
    }

    /// Applies `op`, whose single result has shape `dims`.
    fn apply(&mut self, op: &str, args: &[TensorId], attrs: &[(&str, AttrValue)], dims: Vec<usize>) {
        let result = self.results(op, args, attrs)[0];
        self.add(result, dims);
    }

    /// Applies an operator whose result's quantisation is that of its argument, or free.
    fn results(&mut self, op: &str, args: &[TensorId], attrs: &[(&str, AttrValue)]) -> Vec<TensorId> {
        let quant = self.quant.clone();
        self.builder.try_apply(op, args, attrs, quant.as_ref()).unwrap_or_else(|found| panic!("{op}: {found}"))
    }

    fn operator(&mut self) {
        match self.random.size(0, 11) {
            0 => self.conv(),
            1 => self.depthwise(),
            2 => self.dense(),
            3 | 4 => self.binary(),
            5 => self.unary(),
            6 => self.reshape(),
            7 => self.split(),
            8 | 9 => self.concat(),
            10 => self.pool(),
            _ => self.moved(),
        }
    }

    fn weights(&mut self, dims: &[usize]) -> TensorId {
        let name = format!("w_{}", self.builder.model.tensors.len());
        let count = dims.iter().product();
        if self.quant.is_some() {
            let values: Vec<i8> = self.random.i8s(count).iter().map(|v| (*v).max(-127)).collect();
            self.builder.param_i8(&name, dims, q(1.0 / 128.0, 0), &values)
        } else {
            let values = self.random.f32s(count);
            self.builder.param_f32(&name, dims, &values)
        }
    }

    /// A tensor of rank 4, reshaped from another if need be.
    fn image(&mut self) -> (TensorId, Vec<usize>) {
        let (x, dims) = self.pick();
        if dims.len() == 4 {
            return (x, dims);
        }
        let shape = vec![1, 1, 1, dims.iter().product()];
        let flat = self.results("reshape", &[x], &[("shape", sizes(&shape))])[0];
        (flat, shape)
    }

    fn conv(&mut self) {
        let (x, dims) = self.image();
        let (kernel, stride, channels) =
            (self.random.pick(&[1, 3]), self.random.pick(&[1, 1, 2]), self.random.pick(&[1, 2, 4]));
        let w = self.weights(&[channels, kernel, kernel, dims[3]]);
        let attrs = [("stride", int(stride)), ("padding", name("same"))];
        let stride = usize::try_from(stride).unwrap_or(1);
        let out = vec![dims[0], dims[1].div_ceil(stride), dims[2].div_ceil(stride), channels];
        self.apply("conv2d", &[x, w], &attrs, out);
    }

    fn depthwise(&mut self) {
        let (x, dims) = self.image();
        let w = self.weights(&[1, 3, 3, dims[3]]);
        self.apply("depthwise_conv2d", &[x, w], &[("padding", name("same"))], dims);
    }

    fn dense(&mut self) {
        let (x, mut dims) = self.pick();
        let inner = *dims.last().unwrap_or(&1);
        let outer = self.random.size(1, 6);
        let w = self.weights(&[outer, inner]);
        if let Some(last) = dims.last_mut() {
            *last = outer;
        }
        self.apply("dense", &[x, w], &[], dims);
    }

    fn binary(&mut self) {
        let (a, dims) = self.pick();
        let Some((b, _)) = self.partner(|other| other == dims) else { return };
        let op = self.random.pick(&["add", "sub", "mul", "minimum", "maximum"]);
        let pair = if self.random.one_in(2) { [a, b] } else { [b, a] };
        self.apply(op, &pair, &[], dims);
    }

    fn unary(&mut self) {
        let (x, dims) = self.pick();
        let op = self.random.pick(&["relu", "relu6", "leaky_relu"]);
        self.apply(op, &[x], &[], dims);
    }

    fn reshape(&mut self) {
        let (x, dims) = self.pick();
        let elements: usize = dims.iter().product();
        let shape = if elements.is_multiple_of(2) { vec![2, elements / 2] } else { vec![1, elements] };
        self.apply("reshape", &[x], &[("shape", sizes(&shape))], shape);
    }

    fn split(&mut self) {
        let (x, dims) = self.pick();
        let Some(axis) = (0..dims.len()).find(|&axis| dims[axis] > 1 && dims[axis].is_multiple_of(2)) else { return };
        let mut part = dims.clone();
        part[axis] /= 2;
        if self.random.one_in(2) {
            let axis = i64::try_from(axis).unwrap_or(0);
            for half in self.results("split", &[x], &[("parts", int(2)), ("axis", int(axis))]) {
                self.add(half, part.clone());
            }
        } else {
            let mut begin = vec![0; dims.len()];
            begin[axis] = self.random.size(0, part[axis]);
            self.apply("slice", &[x], &[("begin", sizes(&begin)), ("size", sizes(&part))], part);
        }
    }

    fn concat(&mut self) {
        let (a, dims) = self.pick();
        let channels = dims.len() == 4 && self.random.one_in(2);
        let axis = if channels { 3 } else { self.random.size(0, dims.len() - 1) };
        let mut args = vec![a];
        let mut out = dims.clone();
        for _ in 0..self.random.size(1, 2) {
            if channels && self.random.one_in(2) {
                // Nothing else reads it, so that it can be made in place.
                let (kernel, more) = (self.random.pick(&[1, 3]), self.random.pick(&[1, 2, 4]));
                let w = self.weights(&[more, kernel, kernel, dims[3]]);
                args.push(self.results("conv2d", &[a, w], &[("padding", name("same"))])[0]);
                out[axis] += more;
                continue;
            }
            let fits = |other: &[usize]| {
                other.len() == dims.len() && (0..dims.len()).all(|i| i == axis || other[i] == dims[i])
            };
            if let Some((b, other)) = self.partner(fits) {
                args.push(b);
                out[axis] += other[axis];
            }
        }
        if out.iter().product::<usize>() > 2048 {
            return;
        }
        let axis = i64::try_from(axis).unwrap_or(0);
        self.apply("concat", &args, &[("axis", int(axis))], out);
    }

    fn pool(&mut self) {
        let (x, mut dims) = self.image();
        let op = self.random.pick(&["max_pool2d", "avg_pool2d"]);
        let attrs = [("filter", int(2)), ("stride", int(2)), ("padding", name("same"))];
        dims[1] = dims[1].div_ceil(2);
        dims[2] = dims[2].div_ceil(2);
        self.apply(op, &[x], &attrs, dims);
    }

    fn moved(&mut self) {
        let (x, dims) = self.pick();
        let perm: Vec<usize> = (0..dims.len()).rev().collect();
        let out: Vec<usize> = dims.iter().rev().copied().collect();
        self.apply("transpose", &[x], &[("perm", sizes(&perm))], out);
    }

    /// Everything unread becomes an output, and now and then something that is read.
    fn finish(mut self) -> Model {
        let states = self.inputs..self.inputs + self.states;
        for index in (0..self.tensors.len()).filter(|index| !states.contains(index)) {
            let is_output = self.reads[index] == 0 || self.random.one_in(8);
            if is_output {
                self.builder.output(self.tensors[index].0);
                let kept = self.random.one_in(6);
                self.builder.model.outputs.last_mut().expect("just added").kept = kept;
            }
        }
        self.builder.model
    }
}

fn sizes(values: &[usize]) -> AttrValue {
    ints(&values.iter().map(|v| i64::try_from(*v).unwrap_or(0)).collect::<Vec<_>>())
}

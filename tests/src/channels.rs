//! Random networks of integers in which many channels are constant or unread.

use crate::build::{Builder, flag, float, int, ints, name, q, quantized, shape};

use crate::layers::weight_quant;
use crate::random::Random;
use planner_core::dtype::DType;
use planner_core::model::{TensorId, TensorType, TypedModel};
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;

/// An image of a network: its tensor, dimensions and quantisation.
#[derive(Clone)]
struct Image {
    tensor: TensorId,
    dims: [usize; 4],
    quant: Quant,
}

/// A network under construction.
struct Net<'r> {
    net: Builder,
    random: &'r mut Random,
    dtype: DType,
}

/// A random network of tensors of `dtype`, whose one output all of it leads to.
///
/// # Panics
/// If it does not fit together.
#[must_use]
pub fn network(random: &mut Random, dtype: DType) -> TypedModel {
    let mut net = Net { net: Builder::new(), random, dtype };
    let dims = [1, net.random.size(1, 7), net.random.size(1, 7), net.random.size(1, 4)];
    let quant = net.quant();
    let tensor = net.net.input("x", quantized(dtype, &dims, quant.clone()));
    let mut images = vec![Image { tensor, dims, quant }];
    for _ in 0..net.random.size(2, 8) {
        let from = images[net.random.size(images.len().saturating_sub(2), images.len() - 1)].clone();
        let next = net.next(&from, &images);
        images.push(next);
    }
    let last = images[images.len() - 1].clone();
    let output = net.head(&last);
    net.net.output(output);
    net.net.infer().unwrap_or_else(|found| panic!("{found}"))
}

impl Net<'_> {
    fn quant(&mut self) -> Quant {
        let range = self.dtype.range().unwrap_or(0..=0);
        let zero_point = match self.random.size(0, 2) {
            _ if self.dtype == DType::I16 => 0,
            0 => i64::from(*range.start()),
            _ => self.random.int((*range.start()).into(), (*range.end()).into()),
        };
        let scale = self.random.scale(0.01, 0.2) / if self.dtype == DType::I16 { 256.0 } else { 1.0 };
        q(scale, i32::try_from(zero_point).unwrap_or(0))
    }

    fn act(&mut self) -> AttrValue {
        name(self.random.pick(&["none", "relu", "relu6"]))
    }

    /// One operator more.
    fn next(&mut self, x: &Image, others: &[Image]) -> Image {
        match self.random.size(0, 12) {
            0..=2 => self.conv(x, 1),
            3 => self.conv(x, 3),
            4..=6 => self.depthwise(x),
            7 => self.pool(x),
            8 => self.unary(x),
            9 => self.pad(x),
            10 => self.joined(x, others),
            11 => self.by_parameter(x),
            _ => self.binary(x, others),
        }
    }

    /// Weights of `outputs` filters of `taps` for each of `inputs`, and their bias: many filters are zero or sum up to
    /// what an activation cuts off, many inputs have no weight at all.
    fn weights(&mut self, dims: &[usize], axis: usize, inputs: usize) -> [TensorId; 2] {
        let outputs = dims[axis];
        let zero = if self.dtype == DType::U8 { i32::try_from(self.random.int(0, 255)).unwrap_or(0) } else { 0 };
        let elements: usize = dims.iter().product();
        let unread: Vec<bool> = (0..inputs).map(|_| inputs > 1 && self.random.one_in(4)).collect();
        let of_output = |index: usize| if axis == 3 { index % outputs } else { index / (elements / outputs) };
        let empty: Vec<bool> = (0..outputs).map(|_| self.random.one_in(3)).collect();
        let least = if self.dtype == DType::U8 { 0 } else { -127 };
        let weight = |index: usize, random: &mut Random| {
            if empty[of_output(index)] || unread[index % inputs] {
                zero
            } else {
                i32::try_from(random.int(least, least + 254)).unwrap_or(0)
            }
        };
        let bytes: Vec<u8> = (0..elements).map(|index| weight(index, self.random).to_le_bytes()[0]).collect();
        let (dtype, quant) = match self.dtype {
            DType::U8 => (DType::U8, q(self.random.scale(0.001, 0.02), zero)),
            _ => (DType::I8, weight_quant(self.random, axis, outputs, |scale| scale)),
        };
        let w = self.net.param(&format!("w{}", self.net.model.tensors.len()), quantized(dtype, dims, quant), bytes);
        let far = 1 << self.random.size(8, 18);
        let bias: Vec<i64> = (0..outputs)
            .map(|_| if self.random.one_in(2) { self.random.int(-far, far) } else { self.random.int(-500, 500) })
            .collect();
        let dims = shape(&[outputs]);
        let (dtype, bytes): (DType, Vec<u8>) = if self.dtype == DType::I16 && self.random.one_in(2) {
            (DType::I64, bias.iter().flat_map(|bias| bias.to_le_bytes()).collect())
        } else {
            (DType::I32, bias.iter().flat_map(|bias| i32::try_from(*bias).unwrap_or(0).to_le_bytes()).collect())
        };
        let b = self.net.param(&format!("b{}", self.net.model.tensors.len()), TensorType::plain(dtype, dims), bytes);
        [w, b]
    }

    fn slide(&mut self, x: &Image, taps: usize) -> Vec<(&'static str, AttrValue)> {
        let valid = x.dims[1] >= taps && x.dims[2] >= taps && self.random.one_in(2);
        let stride = i64::from(self.random.one_in(3)) + 1;
        vec![
            ("padding", name(if valid { "valid" } else { "same" })),
            ("stride", ints(&[stride, stride])),
            ("act", self.act()),
        ]
    }

    fn layer(&mut self, op: &str, x: &Image, params: [TensorId; 2], attrs: &[(&str, AttrValue)]) -> Image {
        let quant = self.quant();
        let args = if self.random.one_in(6) { vec![x.tensor, params[0]] } else { vec![x.tensor, params[0], params[1]] };
        let tensor = self.net.apply_q(op, &args, attrs, quant.clone());
        self.image(tensor, quant)
    }

    /// Image `tensor`, whose dimensions inference knows.
    fn image(&self, tensor: TensorId, quant: Quant) -> Image {
        let (types, _) = planner_core::infer::types(&self.net.model);
        let shape = &types[tensor.0].as_ref().expect("an operator that fits").shape;
        let dims = shape.to_vec().try_into().expect("an image");
        Image { tensor, dims, quant }
    }

    fn conv(&mut self, x: &Image, taps: usize) -> Image {
        let outputs = self.random.size(1, 12);
        let params = self.weights(&[outputs, taps, taps, x.dims[3]], 0, x.dims[3]);
        let attrs = self.slide(x, taps);
        self.layer("conv2d", x, params, &attrs)
    }

    fn depthwise(&mut self, x: &Image) -> Image {
        let outputs = x.dims[3] * if self.random.one_in(4) { 2 } else { 1 };
        let params = self.weights(&[1, 3, 3, outputs], 3, 1);
        let attrs = self.slide(x, 3);
        self.layer("depthwise_conv2d", x, params, &attrs)
    }

    fn pool(&mut self, x: &Image) -> Image {
        let op = self.random.pick(&["avg_pool2d", "max_pool2d"]);
        let attrs = [("filter", ints(&[2, 2])), ("padding", name("same")), ("act", self.act())];
        let tensor = self.net.apply(op, &[x.tensor], &attrs);
        self.image(tensor, x.quant.clone())
    }

    fn unary(&mut self, x: &Image) -> Image {
        let ops: &[&str] =
            if self.dtype == DType::I16 { &["relu", "requantize"] } else { &["relu", "requantize", "hard_swish"] };
        let (op, quant) = (self.random.pick(ops), q(x.quant.scale(0) * 1.5, x.quant.zero_point()));
        let tensor = self.net.apply_q(op, &[x.tensor], &[], quant.clone());
        self.image(tensor, quant)
    }

    fn pad(&mut self, x: &Image) -> Image {
        let value = if self.random.one_in(2) { 0.0 } else { x.quant.scale(0) };
        let attrs = [("paddings", ints(&[0, 0, 1, 0, 0, 1, 0, 0])), ("value", float(value))];
        let tensor = self.net.apply("pad", &[x.tensor], &attrs);
        self.image(tensor, x.quant.clone())
    }

    fn joined(&mut self, x: &Image, others: &[Image]) -> Image {
        let fits = |other: &&Image| other.dims[..3] == x.dims[..3];
        let other = others.iter().find(fits).unwrap_or(x);
        let quant = self.quant();
        let tensor = self.net.apply_q("concat", &[other.tensor, x.tensor], &[("axis", int(3))], quant.clone());
        self.image(tensor, quant)
    }

    fn binary(&mut self, x: &Image, others: &[Image]) -> Image {
        let alike = |other: &&Image| other.dims == x.dims;
        let other = others.iter().rev().find(alike).unwrap_or(x);
        let op = self.random.pick(&["add", "sub", "mul"]);
        let attrs = [("act", self.act())];
        let quant = q(x.quant.scale(0).max(other.quant.scale(0)), self.quant().zero_point());
        let tensor = self.net.apply_q(op, &[x.tensor, other.tensor], &attrs, quant.clone());
        self.image(tensor, quant)
    }

    /// With a number for each channel.
    fn by_parameter(&mut self, x: &Image) -> Image {
        let quant = self.quant();
        let size = self.dtype.bytes();
        let count = size * x.dims[3];
        let bytes = (0..count).map(|_| self.random.bits().to_le_bytes()[3]).collect();
        let label = format!("p{}", self.net.model.tensors.len());
        let param = self.net.param(&label, quantized(self.dtype, &x.dims[3..], quant.clone()), bytes);
        let op = self.random.pick(&["add", "mul"]);
        let result = q(x.quant.scale(0).max(quant.scale(0)), self.quant().zero_point());
        let attrs = [("act", self.act())];
        let tensor = self.net.apply_q(op, &[x.tensor, param], &attrs, result.clone());
        self.image(tensor, result)
    }

    /// What makes one row of numbers of an image.
    fn head(&mut self, x: &Image) -> TensorId {
        let pooled = self.random.one_in(2);
        let (row, inputs) = if pooled {
            let mean = self.net.apply("mean", &[x.tensor], &[("axes", ints(&[1, 2])), ("keep_dims", flag(true))]);
            let count = x.dims[3];
            (self.net.apply("reshape", &[mean], &[("shape", ints(&[1, i64::try_from(count).unwrap_or(0)]))]), count)
        } else {
            (self.net.apply("flatten", &[x.tensor], &[]), x.dims.iter().product())
        };
        let outputs = self.random.size(1, 5);
        let params = self.weights(&[outputs, inputs], 0, inputs);
        let quant = self.quant();
        self.net.apply_q("dense", &[row, params[0], params[1]], &[], quant)
    }
}

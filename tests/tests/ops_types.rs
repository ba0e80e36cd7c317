//! Operators of u8 and i16, and layers of mixed types, against their definition.

use planner_core::dtype::DType;
use planner_core::model::TensorType;
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;
use waterline_tests::build::{Builder, f32_type, flag, ints, name, q, quantized, shape};
use waterline_tests::integers::{bytes, integers, zero_point};
use waterline_tests::interpreter::Interpreter;
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::fixed_point::{multiplier, multiply, multiply_once};
use waterline_tests::reference::image::{Padding, Sliding};
use waterline_tests::reference::layer::{Products, bounds};
use waterline_tests::reference::types::{dynamic, quantized_in, scaled_wide};

const CASES: u64 = 120;
const ACTS: [&str; 3] = ["none", "relu", "relu6"];

/// A sliding filter that fits, and its kind of layer.
fn sliding(random: &mut Random) -> Sliding {
    loop {
        let sliding = Sliding {
            batch: random.size(1, 2),
            image: [random.size(1, 6), random.size(1, 6)],
            channels: random.size(1, 6),
            filter: [random.size(1, 3), random.size(1, 3)],
            stride: [random.size(1, 2), random.size(1, 2)],
            dilation: [random.size(1, 2), random.size(1, 2)],
            padding: random.pick(&[Padding::Same, Padding::Valid]),
        };
        if sliding.fits() {
            return sliding;
        }
    }
}

/// A random layer: its operator, shapes of argument and weights, channels, their axis, products, attributes.
struct Layer {
    op: &'static str,
    x: Vec<usize>,
    w: Vec<usize>,
    channels: usize,
    axis: usize,
    /// Elements of the argument that are quantised together while a layer of f32 runs.
    batch: usize,
    products: Products,
    attrs: Vec<(&'static str, AttrValue)>,
}

fn layer(random: &mut Random) -> Layer {
    let op = random.pick(&["conv2d", "depthwise_conv2d", "dense"]);
    if op == "dense" {
        let (rows, inputs, channels) = (random.size(1, 3), random.size(1, 20), random.size(1, 9));
        let row =
            |row: usize| (0..channels).map(move |c| (0..inputs).map(|i| [row * inputs + i, c * inputs + i]).collect());
        let products = (0..rows).flat_map(row).collect();
        let (x, w) = (vec![rows, inputs], vec![channels, inputs]);
        return Layer { op, x, w, channels, axis: 0, batch: inputs, products, attrs: Vec::new() };
    }
    let s = sliding(random);
    let pair = |list: [usize; 2]| ints(&list.map(|v| i64::try_from(v).unwrap()));
    let padding = if matches!(s.padding, Padding::Same) { "same" } else { "valid" };
    let attrs = vec![("stride", pair(s.stride)), ("dilation", pair(s.dilation)), ("padding", name(padding))];
    let x = vec![s.batch, s.image[0], s.image[1], s.channels];
    let batch = x[1..].iter().product();
    if op == "conv2d" {
        let channels = random.size(1, 9);
        let w = vec![channels, s.filter[0], s.filter[1], s.channels];
        return Layer { op, x, w, channels, axis: 0, batch, products: s.conv2d(channels, 1), attrs };
    }
    let times = random.size(1, 2);
    let channels = s.channels * times;
    let w = vec![1, s.filter[0], s.filter[1], channels];
    Layer { op, x, w, channels, axis: 3, batch, products: s.depthwise_conv2d(times), attrs }
}

/// Scales about as large as keep results in range.
fn result_scale(random: &mut Random, x: f32, w: f32, dtype: DType) -> f32 {
    let spread = if dtype == DType::I16 { 40.0 } else { 60.0 };
    x * w * random.scale(1.0, spread) * 16.0
}

#[test]
fn layers_of_u8() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let l = layer(random);
        let (sx, sw) = (random.scale(0.01, 0.1), random.scale(0.002, 0.02));
        let qx = q(sx, zero_point(random, DType::U8));
        let qw = q(sw, zero_point(random, DType::U8));
        let qy = q(result_scale(random, sx, sw, DType::U8), zero_point(random, DType::U8));
        let (x_bytes, x) = integers(random, DType::U8, l.x.iter().product());
        let (w_bytes, w) = integers(random, DType::U8, l.w.iter().product());
        let bias: Vec<i32> = (0..l.channels).map(|_| i32::try_from(random.int(-9000, 9000)).unwrap()).collect();
        let act = random.pick(&ACTS);
        let args = [
            Arg::Input(quantized(DType::U8, &l.x, qx.clone()), x_bytes),
            Arg::Param(quantized(DType::U8, &l.w, qw.clone()), w_bytes),
            Arg::param(TensorType::plain(DType::I32, shape(&[l.channels])), &bias),
        ];
        let attrs: Vec<_> = l.attrs.iter().cloned().chain([("act", name(act))]).collect();
        let got = Application { op: l.op, args: &args, attrs: &attrs, quant: Some(qy.clone()) }.result::<u8>();
        let factor = multiplier(f64::from(sx * sw) / f64::from(qy.scale(0)));
        let [min, max] = bounds(act).map(|bound| quantized_in(bound, &qy, DType::U8));
        for (index, products) in l.products.iter().enumerate() {
            let term = |&[i, j]: &[usize; 2]| (x[i] - i64::from(qx.zero_point())) * (w[j] - i64::from(qw.zero_point()));
            let sum = products.iter().map(term).sum::<i64>() + i64::from(bias[index % l.channels]);
            let scaled = if l.op == "dense" { multiply_once(sum, factor) } else { multiply(sum, factor) };
            let want = (scaled + i64::from(qy.zero_point())).clamp(min, max);
            assert_eq!(i64::from(got[index]), want, "{} seed {seed}, element {index}", l.op);
        }
    }
}

#[test]
fn layers_of_i16() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let l = layer(random);
        let sx = random.scale(0.0001, 0.001);
        let scales: Vec<f32> = (0..l.channels).map(|_| random.scale(0.004, 0.02)).collect();
        let qw = Quant::new(scales.clone(), vec![0; l.channels], Some(l.axis)).unwrap();
        let qy = q(result_scale(random, sx, 0.01, DType::I16), 0);
        let (x_bytes, x) = integers(random, DType::I16, l.x.iter().product());
        let (w_bytes, w) = integers(random, DType::I8, l.w.iter().product());
        let bias: Vec<i64> = (0..l.channels).map(|_| random.int(-4_000_000, 4_000_000)).collect();
        let bias_type = random.pick(&[None, Some(DType::I32), Some(DType::I64)]);
        let mut args = vec![
            Arg::Input(quantized(DType::I16, &l.x, q(sx, 0)), x_bytes),
            Arg::Param(quantized(DType::I8, &l.w, qw), w_bytes),
        ];
        args.extend(
            bias_type.map(|dtype| Arg::Param(TensorType::plain(dtype, shape(&[l.channels])), bytes(dtype, &bias))),
        );
        let act = random.pick(&ACTS);
        let attrs: Vec<_> = l.attrs.iter().cloned().chain([("act", name(act))]).collect();
        let got = Application { op: l.op, args: &args, attrs: &attrs, quant: Some(qy.clone()) }.result::<i16>();
        let [min, max] = bounds(act).map(|bound| quantized_in(bound, &qy, DType::I16));
        for (index, products) in l.products.iter().enumerate() {
            let channel = index % l.channels;
            let bias = if bias_type.is_some() { bias[channel] } else { 0 };
            let sum = products.iter().map(|&[i, j]| x[i] * w[j]).sum::<i64>() + bias;
            let factor = multiplier(f64::from(sx) * f64::from(scales[channel]) / f64::from(qy.scale(0)));
            let scaled = if bias_type == Some(DType::I32) { multiply(sum, factor) } else { scaled_wide(sum, factor) };
            assert_eq!(i64::from(got[index]), scaled.clamp(min, max), "{} seed {seed}, element {index}", l.op);
        }
    }
}

#[test]
fn layers_of_f32_with_i8_weights() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let l = layer(random);
        let per_channel = random.one_in(2);
        let count = if per_channel { l.channels } else { 1 };
        let scales: Vec<f32> = (0..count).map(|_| random.scale(0.004, 0.02)).collect();
        let qw = Quant::new(scales.clone(), vec![0; count], per_channel.then_some(l.axis)).unwrap();
        let shift = random.f32(-1.0, 1.0);
        let mut x = random.f32s(l.x.iter().product());
        x.iter_mut().for_each(|x| *x += shift);
        if random.one_in(8) {
            x.fill(0.0);
        }
        let (w_bytes, w) = integers(random, DType::I8, l.w.iter().product());
        let bias = random.f32s(l.channels);
        let asymmetric = random.one_in(2);
        let args = [
            Arg::input(f32_type(&l.x), &x),
            Arg::Param(quantized(DType::I8, &l.w, qw), w_bytes),
            Arg::param(f32_type(&[l.channels]), &bias),
        ];
        let attrs: Vec<_> = l.attrs.iter().cloned().chain([("asymmetric", flag(asymmetric))]).collect();
        let got = Application { op: l.op, args: &args, attrs: &attrs, quant: None }.result::<f32>();
        let batches: Vec<_> = x.chunks(l.batch).map(|batch| dynamic(batch, asymmetric)).collect();
        for (index, products) in l.products.iter().enumerate() {
            let channel = index % l.channels;
            let term = |&[i, j]: &[usize; 2]| batches[i / l.batch].integers[i % l.batch] * w[j];
            // Every tap may lie outside the image.
            let scale = products.first().map_or(0.0, |[i, _]| batches[i / l.batch].scale);
            let sum = products.iter().map(term).sum::<i64>();
            #[allow(clippy::cast_precision_loss, reason = "small sums")]
            let product = sum as f64 * f64::from(scale) * f64::from(scales[channel % count]);
            let want = product + f64::from(bias[channel]);
            let error = (f64::from(got[index]) - want).abs();
            assert!(error <= 1e-5 * (product.abs() + 1.0), "{} seed {seed}: {} and {want}", l.op, got[index]);
        }
    }
}

#[test]
fn sums_and_products() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let dtype = random.pick(&[DType::U8, DType::I16]);
        let op = random.pick(&["add", "sub", "mul"]);
        let zero = |random: &mut Random| if op == "mul" || random.one_in(2) { zero_point(random, dtype) } else { 7 };
        let unit = if dtype == DType::U8 { 0.02 } else { 0.0003 };
        let [qa, qb] = [0, 1].map(|_| q(random.scale(unit, unit * 3.0), zero(random)));
        let factor = if op == "mul" { if dtype == DType::U8 { 0.5 } else { 0.002 } } else { unit };
        let qy = q(random.scale(factor, factor * 4.0), zero(random));
        let dims = [random.size(1, 3), random.size(1, 9)];
        let ((a_bytes, a), (b_bytes, b)) =
            (integers(random, dtype, dims[0] * dims[1]), integers(random, dtype, dims[1]));
        let args = [
            Arg::Input(quantized(dtype, &dims, qa.clone()), a_bytes),
            Arg::Input(quantized(dtype, &dims[1..], qb.clone()), b_bytes),
        ];
        let got = Application { op, args: &args, attrs: &[], quant: Some(qy.clone()) }.run().remove(0);
        let centred = |x: i64, quant: &Quant| x - i64::from(quant.zero_point());
        let want: Vec<i64> = a
            .iter()
            .enumerate()
            .map(|(i, a)| {
                let (a, b) = (centred(*a, &qa), centred(b[i % dims[1]], &qb));
                let [sa, sb, sy] = [&qa, &qb, &qy].map(|quant| quant.scale(0));
                let scaled = if op == "mul" {
                    let exact = f64::from(sa) * f64::from(sb) / f64::from(sy);
                    let factor = if dtype == DType::U8 { f64::from(sa * sb / sy) } else { exact };
                    multiply(a * b, multiplier(factor))
                } else {
                    let bits = if dtype == DType::U8 { 20 } else { 15 };
                    let common = 2.0 * f64::from(sa.max(sb));
                    let of = |x: i64, scale: f32| multiply(x << bits, multiplier(f64::from(scale) / common));
                    let sum = of(a, sa) + if op == "add" { 1 } else { -1 } * of(b, sb);
                    multiply(sum, multiplier(common / (f64::from(1 << bits) * f64::from(sy))))
                };
                let range = dtype.range().unwrap();
                (scaled + i64::from(qy.zero_point())).clamp((*range.start()).into(), (*range.end()).into())
            })
            .collect();
        assert_eq!(got, bytes(dtype, &want), "{op} of {dtype}, seed {seed}");
    }
}

#[test]
fn pools_means_and_extremes() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let dtype = random.pick(&[DType::U8, DType::I16]);
        let s = sliding(random);
        let s = Sliding { dilation: [1, 1], stride: [1, 1], ..s };
        if !s.fits() {
            continue;
        }
        let quant = q(0.01, zero_point(random, dtype));
        let dims = [s.batch, s.image[0], s.image[1], s.channels];
        let (x_bytes, x) = integers(random, dtype, dims.iter().product());
        let pair = |list: [usize; 2]| ints(&list.map(|v| i64::try_from(v).unwrap()));
        let padding = if matches!(s.padding, Padding::Same) { "same" } else { "valid" };
        let attrs = [("filter", pair(s.filter)), ("stride", pair(s.stride)), ("padding", name(padding))];
        let args = [Arg::Input(quantized(dtype, &dims, quant.clone()), x_bytes.clone())];
        let run = |op| Application { op, args: &args, attrs: &attrs, quant: None }.run().remove(0);
        let max = |window: &Vec<usize>| window.iter().map(|i| x[*i]).max().unwrap();
        let mean = |window: &Vec<usize>| {
            let (sum, count) = (window.iter().map(|i| x[*i]).sum::<i64>(), i64::try_from(window.len()).unwrap());
            if sum > 0 { (sum + count / 2) / count } else { (sum - count / 2) / count }
        };
        let windows = s.pool();
        assert_eq!(run("max_pool2d"), bytes(dtype, &windows.iter().map(max).collect::<Vec<_>>()), "max, seed {seed}");
        assert_eq!(run("avg_pool2d"), bytes(dtype, &windows.iter().map(mean).collect::<Vec<_>>()), "avg, seed {seed}");

        // Over all pixels: a sum, then one multiplication that divides as well.
        let qy = q(0.01 * random.scale(0.5, 2.0), zero_point(random, dtype));
        let axes = [("axes", ints(&[1, 2]))];
        let got = Application { op: "mean", args: &args, attrs: &axes, quant: Some(qy.clone()) }.run().remove(0);
        let pixels = dims[1] * dims[2];
        let (mut value, mut shift) = multiplier(f64::from(quant.scale(0)) / f64::from(qy.scale(0)));
        let bits = i32::try_from(pixels.ilog2()).unwrap().min(32).min(31 + shift);
        value = (value << bits) / i64::try_from(pixels).unwrap();
        shift -= bits;
        let of = |picture: usize, channel: usize| -> i64 {
            let element = |pixel: usize| x[(picture * pixels + pixel) * dims[3] + channel];
            (0..pixels).map(element).map(|x| x - i64::from(quant.zero_point())).sum()
        };
        let range = dtype.range().unwrap();
        let want: Vec<i64> = (0..dims[0])
            .flat_map(|picture| (0..dims[3]).map(move |channel| (picture, channel)))
            .map(|(picture, channel)| multiply(of(picture, channel), (value, shift)) + i64::from(qy.zero_point()))
            .map(|y| y.clamp((*range.start()).into(), (*range.end()).into()))
            .collect();
        assert_eq!(got, bytes(dtype, &want), "mean of {dtype}, seed {seed}");
    }
}

#[test]
fn every_conversion() {
    const TYPES: [DType; 4] = [DType::I8, DType::U8, DType::I16, DType::I32];
    for seed in 0..2 * CASES {
        let random = &mut Random::new(seed);
        let (from, to) = (random.pick(&TYPES), random.pick(&TYPES));
        let zero = |random: &mut Random, dtype| if dtype == DType::I32 { 0 } else { zero_point(random, dtype) };
        let unit = |dtype: DType| if dtype.bytes() == 1 { 0.05 } else { 0.0005 };
        let qx = q(random.scale(unit(from), unit(from) * 4.0), zero(random, from));
        let qy = q(random.scale(unit(to), unit(to) * 4.0), zero(random, to));
        let numbers: Vec<i64> = match from {
            DType::I32 => (0..20).map(|_| random.int(-60_000, 60_000)).collect(),
            _ => integers(random, from, 20).1,
        };
        let mut net = Builder::new();
        let x = net.input("x", quantized(from, &[20], qx.clone()));
        let y = net.apply_q("requantize", &[x], &[], qy.clone());
        net.model.tensors[y.0].declared.dtype = Some(to);
        net.output(y);
        let program = net.lower().unwrap();
        let got = Interpreter::new(&program, &[]).run_apart(&[bytes(from, &numbers)]).remove(0);
        let factor = multiplier(f64::from(qx.scale(0)) / f64::from(qy.scale(0)));
        let range = to.range().unwrap();
        let want = numbers.iter().map(|x| {
            let scaled = multiply(x - i64::from(qx.zero_point()), factor) + i64::from(qy.zero_point());
            scaled.clamp((*range.start()).into(), (*range.end()).into())
        });
        assert_eq!(got, bytes(to, &want.collect::<Vec<_>>()), "{from} to {to}, seed {seed}");
    }
}

#[test]
fn to_reals_and_back() {
    for dtype in [DType::U8, DType::I16] {
        let zero = if dtype == DType::U8 { 131 } else { 0 };
        let range = dtype.range().unwrap();
        let numbers: Vec<i64> =
            (*range.start()..=*range.end()).step_by(if dtype == DType::U8 { 1 } else { 37 }).map(i64::from).collect();
        let mut net = Builder::new();
        let x = net.input("x", quantized(dtype, &[numbers.len()], q(0.37, zero)));
        let real = net.apply("dequantize", &[x], &[]);
        let back = net.apply_q("quantize", &[real], &[], q(0.37, zero));
        net.model.tensors[back.0].declared.dtype = Some(dtype);
        net.output(real);
        net.output(back);
        let program = net.lower().unwrap();
        let outputs = Interpreter::new(&program, &[]).run_apart(&[bytes(dtype, &numbers)]);
        assert_eq!(outputs[1], bytes(dtype, &numbers));
        #[allow(clippy::cast_precision_loss, reason = "small integers")]
        let reals: Vec<u8> = numbers.iter().flat_map(|x| (0.37 * (x - i64::from(zero)) as f32).to_le_bytes()).collect();
        assert_eq!(outputs[0], reals);
    }
}

#[test]
fn i16_has_its_zero_in_the_middle_where_it_must() {
    let x = Arg::Input(quantized(DType::I16, &[1, 2], q(0.1, 3)), Vec::new());
    let w = Arg::Param(quantized(DType::I8, &[1, 2], q(0.1, 0)), vec![0; 2]);
    let error = Application { op: "dense", args: &[x.clone(), w], attrs: &[], quant: Some(q(0.1, 0)) }.error();
    assert!(
        error.contains("`x` of i16 has a zero point other than 0\n  got: i16[1, 2] q(0.1, 3)\n  wanted: `q(0.1, 0)`")
    );
    for op in ["sigmoid", "tanh", "softmax"] {
        let error = Application { op, args: &[x.clone()], attrs: &[], quant: None }.error();
        assert!(error.contains("zero point other than 0"), "{error}");
    }
    let x = Arg::Input(quantized(DType::I16, &[1, 2], q(0.1, 0)), Vec::new());
    let error =
        Application { op: "mul", args: &[x.clone(), Arg::Again(0)], attrs: &[], quant: Some(q(0.1, 1)) }.error();
    assert!(error.contains("a result of i16 has a zero point other than 0"), "{error}");
    let x = Arg::Input(f32_type(&[1, 2]), Vec::new());
    let w = Arg::Param(f32_type(&[1, 2]), vec![0; 8]);
    let attrs = [("asymmetric", flag(true))];
    let error = Application { op: "dense", args: &[x, w], attrs: &attrs, quant: None }.error();
    assert!(error.contains("nothing is quantised while this layer runs"), "{error}");
}

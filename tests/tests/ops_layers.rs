//! `conv2d`, `conv1d`, `depthwise_conv2d` and `dense` against their definitions.

use planner_core::emit::Init;
use planner_core::model::TensorType;
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;
use waterline_tests::build::{Builder, f32_type, i8_type, int, ints, name, q, shape};
use waterline_tests::interpreter::Interpreter;
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::fixed_point::multiplier;
use waterline_tests::reference::image::{Padding, Sliding};
use waterline_tests::reference::layer::{LayerI8, Products, layer_f32};

const ACTS: [&str; 4] = ["none", "relu", "relu6", "relu_n1_to_1"];

/// A layer with all that its definition needs.
struct Case {
    op: &'static str,
    x: Vec<usize>,
    w: Vec<usize>,
    /// The dimension of output channels in the weights.
    axis: usize,
    products: Products,
    attrs: Vec<(&'static str, AttrValue)>,
}

impl Case {
    fn outputs(&self) -> usize {
        self.w[self.axis]
    }
}

fn sides(values: [usize; 2]) -> AttrValue {
    ints(&values.map(|v| i64::try_from(v).unwrap()))
}

fn padding(padding: Padding) -> AttrValue {
    match padding {
        Padding::Same => name("same"),
        Padding::Valid => name("valid"),
        Padding::Explicit(sides) => ints(&sides.map(|v| i64::try_from(v).unwrap())),
    }
}

/// A filter over a small image; each part of it is often plain.
fn sliding(random: &mut Random, columns: usize) -> Sliding {
    loop {
        let two = |random: &mut Random, most: usize| [random.size(1, most), random.size(1, most.min(columns))];
        let often_one = |random: &mut Random| if random.one_in(2) { [1, 1] } else { two(random, 3) };
        let sliding = Sliding {
            batch: if random.one_in(4) { 2 } else { 1 },
            image: [random.size(1, 9), random.size(1, 9.min(columns))],
            channels: random.size(1, 9),
            filter: two(random, 4),
            stride: often_one(random),
            dilation: often_one(random),
            padding: match random.size(0, 2) {
                0 => Padding::Same,
                1 => Padding::Valid,
                _ => {
                    let beside = if columns == 1 { 0 } else { 3 };
                    Padding::Explicit([
                        random.size(0, 3),
                        random.size(0, 3),
                        random.size(0, beside),
                        random.size(0, beside),
                    ])
                }
            },
        };
        if sliding.fits() {
            return sliding;
        }
    }
}

fn conv2d(random: &mut Random) -> Case {
    let mut sliding = sliding(random, usize::MAX);
    if random.one_in(5) {
        sliding = Sliding { filter: [1, 1], stride: [1, 1], padding: Padding::Valid, ..sliding };
    }
    let groups = if random.one_in(2) { 1 } else { random.size(1, 3) };
    sliding.channels = groups * random.size(1, 5);
    let outputs = groups * random.size(1, 6);
    let [height, width] = sliding.image;
    Case {
        op: "conv2d",
        x: vec![sliding.batch, height, width, sliding.channels],
        w: vec![outputs, sliding.filter[0], sliding.filter[1], sliding.channels / groups],
        axis: 0,
        products: sliding.conv2d(outputs, groups),
        attrs: vec![
            ("stride", sides(sliding.stride)),
            ("dilation", sides(sliding.dilation)),
            ("padding", padding(sliding.padding)),
            ("groups", int(i64::try_from(groups).unwrap())),
        ],
    }
}

fn conv1d(random: &mut Random) -> Case {
    let sliding = sliding(random, 1);
    let outputs = random.size(1, 6);
    Case {
        op: "conv1d",
        x: vec![sliding.batch, sliding.image[0], 1, sliding.channels],
        w: vec![outputs, sliding.filter[0], sliding.channels],
        axis: 0,
        products: sliding.conv2d(outputs, 1),
        attrs: vec![
            ("stride", int(i64::try_from(sliding.stride[0]).unwrap())),
            ("dilation", int(i64::try_from(sliding.dilation[0]).unwrap())),
            ("padding", padding(sliding.padding)),
        ],
    }
}

fn depthwise_conv2d(random: &mut Random) -> Case {
    let mut sliding = sliding(random, usize::MAX);
    sliding.channels = random.size(1, 20);
    let multiplier = if random.one_in(2) { 1 } else { random.size(1, 12) };
    let [height, width] = sliding.image;
    Case {
        op: "depthwise_conv2d",
        x: vec![sliding.batch, height, width, sliding.channels],
        w: vec![1, sliding.filter[0], sliding.filter[1], sliding.channels * multiplier],
        axis: 3,
        products: sliding.depthwise_conv2d(multiplier),
        attrs: vec![
            ("stride", sides(sliding.stride)),
            ("dilation", sides(sliding.dilation)),
            ("padding", padding(sliding.padding)),
        ],
    }
}

fn dense(random: &mut Random) -> Case {
    let mut x: Vec<usize> = (0..random.size(0, 3)).map(|_| random.size(1, 3)).collect();
    let (rows, inputs, outputs) = (x.iter().product::<usize>(), random.size(1, 40), random.size(1, 10));
    x.push(inputs);
    let product = |i: usize| (0..inputs).map(|k| [i / outputs * inputs + k, i % outputs * inputs + k]).collect();
    Case {
        op: "dense",
        x,
        w: vec![outputs, inputs],
        axis: 0,
        products: (0..rows * outputs).map(product).collect(),
        attrs: Vec::new(),
    }
}

fn elements(dims: &[usize]) -> usize {
    dims.iter().product()
}

fn check_f32(seed: u64, case: fn(&mut Random) -> Case) {
    for round in 0..200 {
        let random = &mut Random::new(seed + round);
        let mut case = case(random);
        let act = random.pick(&ACTS);
        case.attrs.push(("act", name(act)));
        let (x, w) = (random.f32s(elements(&case.x)), random.f32s(elements(&case.w)));
        let bias = (!random.one_in(4)).then(|| random.f32s(case.outputs()));
        let mut args = vec![Arg::input(f32_type(&case.x), &x), Arg::param(f32_type(&case.w), &w)];
        args.extend(bias.as_ref().map(|bias| Arg::param(f32_type(&[bias.len()]), bias)));
        let got: Vec<f32> = Application { op: case.op, args: &args, attrs: &case.attrs, quant: None }.result();
        let wanted = layer_f32(&case.products, &x, &w, bias.as_deref(), act);
        assert_eq!(got.len(), wanted.len(), "{:?}", case.attrs);
        for (got, [wanted, off]) in got.iter().zip(wanted) {
            assert!((f64::from(*got) - wanted).abs() <= off, "{got} for {wanted}: {} {:?}", case.op, case.attrs);
        }
    }
}

/// A quantisation of weights: per tensor, or per channel of `axis`.
fn weight_quant(random: &mut Random, axis: usize, channels: usize) -> Quant {
    let per_channel = random.one_in(2);
    let count = if per_channel { channels } else { 1 };
    let scales: Vec<f32> = (0..count).map(|_| random.scale(0.001, 0.05)).collect();
    Quant::new(scales, vec![0; count], per_channel.then_some(axis)).unwrap()
}

/// A random i8 layer: arguments, the declared quantisation, and what its definition gives.
fn case_i8(random: &mut Random, case: fn(&mut Random) -> Case) -> (Case, Vec<Arg>, Quant, Vec<i8>) {
    let mut case = case(random);
    let act = random.pick(&ACTS);
    case.attrs.push(("act", name(act)));
    let mut zero_point = || i32::try_from(random.int(-128, 127)).unwrap();
    let (x_zero, y_zero) = (zero_point(), zero_point());
    let x_quant = q(random.scale(0.005, 0.2), if random.one_in(4) { 0 } else { x_zero });
    let w_quant = weight_quant(random, case.axis, case.outputs());
    // From results that differ by ones to results that saturate.
    let y_quant = q(x_quant.scale(0) * w_quant.scale(0) * random.scale(0.2, 5000.0), y_zero);
    let (x, w) = (random.i8s(elements(&case.x)), random.i8s(elements(&case.w)));
    let bias: Option<Vec<i32>> = (!random.one_in(4))
        .then(|| (0..case.outputs()).map(|_| i32::try_from(random.int(-20_000, 20_000)).unwrap()).collect());
    let mut args =
        vec![Arg::input(i8_type(&case.x, x_quant.clone()), &x), Arg::param(i8_type(&case.w, w_quant.clone()), &w)];
    let bias_type = TensorType::plain(planner_core::dtype::DType::I32, shape(&[case.outputs()]));
    args.extend(bias.as_ref().map(|bias| Arg::param(bias_type, bias)));
    let single_product = case.op == "dense" && w_quant.scales().len() == 1;
    let layer = LayerI8 { x: &x_quant, w: &w_quant, y: &y_quant, single_product };
    let zeros = vec![0; case.outputs()];
    let wanted = layer.results(&case.products, &x, &w, Some(bias.as_deref().unwrap_or(&zeros)), act);
    (case, args, y_quant, wanted)
}

fn check_i8(seed: u64, case: fn(&mut Random) -> Case) {
    let mut between = 0;
    for round in 0..300 {
        let (case, args, quant, wanted) = case_i8(&mut Random::new(seed + round), case);
        let application = Application { op: case.op, args: &args, attrs: &case.attrs, quant: Some(quant) };
        let got: Vec<i8> = application.result();
        assert_eq!(got, wanted, "{} {:?} round {round}", case.op, case.attrs);
        between += got.iter().filter(|y| (-127..127).contains(*y)).count();
    }
    assert!(between > 3000, "only {between} results lie between the bounds");
}

#[test]
fn conv2d_f32() {
    check_f32(1000, conv2d);
}

#[test]
fn conv2d_i8() {
    check_i8(2000, conv2d);
}

#[test]
fn conv1d_f32() {
    check_f32(3000, conv1d);
}

#[test]
fn conv1d_i8() {
    check_i8(4000, conv1d);
}

#[test]
fn depthwise_conv2d_f32() {
    check_f32(5000, depthwise_conv2d);
}

#[test]
fn depthwise_conv2d_i8() {
    check_i8(6000, depthwise_conv2d);
}

#[test]
fn dense_f32() {
    check_f32(7000, dense);
}

#[test]
fn dense_i8() {
    check_i8(8000, dense);
}

/// Constants of the user's crate, whose values only its compiler sees, give the same results as files.
#[test]
fn external_weights_give_the_same_results() {
    for (round, case) in [conv2d, depthwise_conv2d, dense].into_iter().cycle().take(90).enumerate() {
        let (case, args, quant, wanted) = case_i8(&mut Random::new(9000 + round as u64), case);
        let mut net = Builder::new();
        let (mut tensors, mut inputs, mut externals) = (Vec::new(), Vec::new(), Vec::new());
        for (index, arg) in args.iter().enumerate() {
            let label = format!("arg_{index}");
            tensors.push(match arg {
                Arg::Input(ty, bytes) => {
                    inputs.push(bytes.clone());
                    net.input(&label, ty.clone())
                }
                // Weights, bias or both.
                Arg::Param(ty, bytes) if (round / 3) % 3 == index => net.param(&label, ty.clone(), bytes.clone()),
                Arg::Param(ty, bytes) => {
                    externals.push(bytes.clone());
                    net.external(&label, ty.clone(), externals.len() - 1)
                }
                Arg::Again(_) => unreachable!(),
            });
        }
        let y = net.apply_q(case.op, &tensors, &case.attrs, quant);
        net.output(y);
        let program = net.lower().unwrap();
        let outputs = Interpreter::new(&program, &externals).run_apart(&inputs);
        assert_eq!(bytemuck::cast_slice::<u8, i8>(&outputs[0]), wanted, "{} {:?}", case.op, case.attrs);
    }
}

/// Scales are multiplied in the precision that TensorFlow Lite has there: outputs rarely show it, multipliers do.
#[test]
fn multipliers_have_the_right_precision() {
    let random = &mut Random::new(1);
    for (op, w, axis, single) in [
        ("conv2d", &[4, 1, 1, 3][..], 0, false),
        ("conv2d", &[4, 2, 2, 3], 0, false),
        ("depthwise_conv2d", &[1, 2, 2, 3], 3, false),
        ("dense", &[4, 3], 0, true),
    ] {
        let mut told_apart = 0;
        for _ in 0..50 {
            let (x, y) = (q(random.scale(0.005, 0.2), 0), q(random.scale(0.005, 0.2), 0));
            let quant = weight_quant(random, axis, w[axis]);
            let args = [
                Arg::input(i8_type(&[1, 3, 3, 3], x.clone()), &[0i8; 27]),
                Arg::param(i8_type(w, quant.clone()), &vec![0i8; elements(w)]),
            ];
            let application = Application { op, args: &args, attrs: &[], quant: Some(y.clone()) };
            let (program, _) = application.lower().unwrap();
            let named = program.statics.iter().find(|item| item.name.ends_with("_multipliers")).unwrap();
            let Init::Bytes(got) = &named.init else { panic!("{:?}", named.init) };
            let factors = |single: bool| -> Vec<i64> {
                let product = |w: f32| {
                    if single { f64::from(x.scale(0) * w) } else { f64::from(x.scale(0)) * f64::from(w) }
                };
                quant.scales().iter().map(|w| multiplier(product(*w) / f64::from(y.scale(0))).0).collect()
            };
            let wanted = factors(single && quant.scales().len() == 1);
            told_apart += usize::from(factors(true) != factors(false));
            let got: Vec<i64> = bytemuck::cast_slice::<u8, i32>(got).iter().map(|m| i64::from(*m)).collect();
            assert_eq!(got, wanted, "{op} {quant:?}");
        }
        assert!(told_apart > 20, "{op}: precisions differ in {told_apart} cases only");
    }
}

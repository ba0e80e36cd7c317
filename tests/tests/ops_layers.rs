//! `conv2d`, `conv1d`, `depthwise_conv2d` and `dense` against their definitions.

use planner_core::arch::Arch;
use planner_core::emit::Init;
use planner_core::steps::Program;
use waterline_tests::build::{Builder, f32_type, i8_type, name, q};
use waterline_tests::interpreter::Interpreter;
use waterline_tests::layers::{
    ACTS, Case, QuantizedCase, conv1d, conv2d, dense, depthwise_conv2d, elements, weight_quant, wide_depthwise_conv2d,
};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::fixed_point::multiplier;
use waterline_tests::reference::layer::layer_f32;

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

fn check_i8(seed: u64, case: fn(&mut Random) -> Case) {
    let mut between = 0;
    for round in 0..400 {
        let layer = QuantizedCase::new(&mut Random::new(seed + round), case);
        let got: Vec<i8> = layer.application().result();
        assert_eq!(got, layer.wanted, "{} {:?} round {round}", layer.case.op, layer.case.attrs);
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

/// Of these layers many may run through a ring of rows; [`Application::run`] does so.
#[test]
fn depthwise_conv2d_in_a_ring() {
    let mut rings = 0;
    for seed in 9000..9100 {
        let layer = QuantizedCase::new(&mut Random::new(seed), wide_depthwise_conv2d);
        let application = layer.application();
        assert_eq!(application.result::<i8>(), layer.wanted, "{:?} seed {seed}", layer.case.attrs);
        let ring = |program: &Program| program.steps[0].variants.chosen().is_some_and(|chosen| chosen.name == "ring");
        rings += usize::from(application.programs(Arch::Portable).iter().any(ring));
    }
    assert!(rings > 20, "only {rings} layers have a ring");
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
        let layer = QuantizedCase::new(&mut Random::new(9000 + round as u64), case);
        let QuantizedCase { case, args, quant, wanted } = layer;
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
            let quant = weight_quant(random, axis, w[axis], |scale| scale);
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

//! add, sub, mul, minimum, maximum against their definitions.

use planner_core::arch::Arch;
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;
use waterline_tests::build::{f32_type, i8_type, name, q};
use waterline_tests::interpreter::Interpreter;
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::activation::quantized;
use waterline_tests::reference::arithmetic::{partners, product, sum};

const CASES: u64 = 250;

/// Two shapes that broadcast, and what to.
fn shapes(random: &mut Random) -> [Vec<usize>; 3] {
    let rank = random.size(0, 6);
    let result: Vec<usize> = (0..rank).map(|_| random.size(1, 4)).collect();
    let narrowed = |random: &mut Random| -> Vec<usize> {
        let first = if random.one_in(3) { random.size(0, rank) } else { 0 };
        result[first..].iter().map(|&size| if random.one_in(3) { 1 } else { size }).collect()
    };
    let a = if random.one_in(2) { result.clone() } else { narrowed(random) };
    let b = if random.one_in(2) { result.clone() } else { narrowed(random) };
    let size = |shape: &[usize], back: usize| shape.len().checked_sub(back + 1).map_or(1, |axis| shape[axis]);
    let result = (0..a.len().max(b.len())).rev().map(|back| size(&a, back).max(size(&b, back))).collect();
    [a, b, result]
}

fn activation(random: &mut Random) -> (&'static str, [f32; 2]) {
    random.pick(&[("none", [f32::NEG_INFINITY, f32::INFINITY]), ("relu", [0.0, f32::INFINITY]), ("relu6", [0.0, 6.0])])
}

fn act(op: &str, name_of: &'static str) -> Vec<(&'static str, AttrValue)> {
    if matches!(op, "minimum" | "maximum") { Vec::new() } else { vec![("act", name(name_of))] }
}

/// One argument in twenty is a parameter.
fn arg<T: bytemuck::Pod>(random: &mut Random, ty: planner_core::model::TensorType, values: &[T]) -> Arg {
    if random.one_in(5) { Arg::param(ty, values) } else { Arg::input(ty, values) }
}

#[test]
#[allow(clippy::float_cmp, reason = "one rounding, as in the definition")]
fn f32_equals_its_definition() {
    for op in ["add", "sub", "mul", "minimum", "maximum"] {
        for seed in 0..CASES {
            let mut random = Random::new(seed);
            let [a_dims, b_dims, dims] = shapes(&mut random);
            let mut values =
                |dims: &[usize]| -> Vec<f32> { (0..dims.iter().product()).map(|_| random.f32(-8.0, 8.0)).collect() };
            let (a, b) = (values(&a_dims), values(&b_dims));
            let (act_name, [min, max]) = activation(&mut random);
            let (min, max) = if act(op, act_name).is_empty() { (f32::MIN, f32::MAX) } else { (min, max) };
            let args = [arg(&mut random, f32_type(&a_dims), &a), arg(&mut random, f32_type(&b_dims), &b)];
            let got: Vec<f32> = Application { op, args: &args, attrs: &act(op, act_name), quant: None }.result();
            let pairs = partners(&a_dims, &dims).into_iter().zip(partners(&b_dims, &dims));
            let want = pairs.map(|(i, j)| {
                let (a, b) = (a[i], b[j]);
                let y = match op {
                    "add" => a + b,
                    "sub" => a - b,
                    "mul" => a * b,
                    "minimum" => a.min(b),
                    _ => a.max(b),
                };
                y.clamp(min, max)
            });
            assert_eq!(got, want.collect::<Vec<_>>(), "{op}, seed {seed}");
        }
    }
}

#[test]
fn i8_equals_its_definition_to_the_bit() {
    for op in ["add", "sub", "mul", "minimum", "maximum"] {
        for seed in 0..CASES {
            let mut random = Random::new(seed);
            let [a_dims, b_dims, dims] = shapes(&mut random);
            let a = random.i8s(a_dims.iter().product());
            let b = random.i8s(b_dims.iter().product());
            let mut quant = || q(random.scale(0.002, 0.5), i32::try_from(random.int(-128, 127)).unwrap());
            let (qa, mut qb, mut qy) = (quant(), quant(), quant());
            if matches!(op, "minimum" | "maximum") {
                (qb, qy) = (qa.clone(), qa.clone());
            }
            let (act_name, bounds) = activation(&mut random);
            let args = [
                arg(&mut random, i8_type(&a_dims, qa.clone()), &a),
                arg(&mut random, i8_type(&b_dims, qb.clone()), &b),
            ];
            let attrs = act(op, act_name);
            let got: Vec<i8> = Application { op, args: &args, attrs: &attrs, quant: Some(qy.clone()) }.result();
            let quants = [&qa, &qb, &qy];
            let [min, max] = bounds.map(|bound| quantized(bound, &qy));
            let pairs = partners(&a_dims, &dims).into_iter().zip(partners(&b_dims, &dims));
            let want = pairs.map(|(i, j)| {
                let (a, b) = (a[i], b[j]);
                let y = match op {
                    "add" => sum(a, b, 1, quants),
                    "sub" => sum(a, b, -1, quants),
                    "mul" => product(a, b, quants),
                    "minimum" => return a.min(b),
                    _ => return a.max(b),
                };
                i8::try_from(y.clamp(min, max)).unwrap()
            });
            assert_eq!(got, want.collect::<Vec<_>>(), "{op}, seed {seed}");
        }
    }
}

/// Every pair of values, on a machine whose kernel is proved for the layer's scales.
#[test]
fn weighted_sums_equal_the_definition() {
    let pairs: [Vec<i8>; 2] =
        [0, 8].map(|shift| (0..=u16::MAX).map(|pair| (pair >> shift).to_le_bytes()[0].cast_signed()).collect());
    for seed in 0..24 {
        let mut random = Random::new(seed);
        let (op, sign) = random.pick(&[("add", 1), ("sub", -1)]);
        let mut quant = || q(random.scale(0.02, 0.5), i32::try_from(random.int(-128, 127)).unwrap());
        let (qa, qb, qy) = (quant(), quant(), quant());
        let (act_name, bounds) = activation(&mut random);
        let [min, max] = bounds.map(|bound| quantized(bound, &qy));
        let args = [(&qa, &pairs[0]), (&qb, &pairs[1])]
            .map(|(quant, values)| Arg::input(i8_type(&[1 << 16], quant.clone()), values));
        let application = Application { op, args: &args, attrs: &[("act", name(act_name))], quant: Some(qy.clone()) };
        let (program, inputs) = application.lower_for(Arch::Dsp).unwrap();
        let near = [&qa, &qb].iter().all(|quant| quant.scale(0) < 8.0 * qy.scale(0));
        let kernel = program.steps[0].calls[0].kernel;
        assert_eq!(
            kernel == "add_weighted_i8",
            near,
            "{kernel}: scales {} {} {}",
            qa.scale(0),
            qb.scale(0),
            qy.scale(0)
        );
        let got = Interpreter::new(&program, &[]).run_apart(&inputs).remove(0);
        for ((a, b), got) in pairs[0].iter().zip(&pairs[1]).zip(got) {
            let want = sum(*a, *b, sign, [&qa, &qb, &qy]).clamp(min, max);
            assert_eq!(i64::from(got.cast_signed()), want, "{op} of {a} and {b}, seed {seed}");
        }
    }
}

#[test]
#[allow(clippy::float_cmp, reason = "exact")]
fn a_tensor_may_meet_itself() {
    let x = [1.0f32, -2.0, 3.0];
    for (op, want) in [("add", [2.0f32, -4.0, 6.0]), ("sub", [0.0; 3]), ("mul", [1.0, 4.0, 9.0])] {
        let args = [Arg::input(f32_type(&[3]), &x), Arg::Again(0)];
        let application = Application { op, args: &args, attrs: &[], quant: None };
        assert_eq!(application.result::<f32>(), want, "{op}");
        let (program, _) = application.lower().unwrap();
        assert_eq!(program.steps[0].sharing.len(), 2, "in place over either argument");
    }
}

#[test]
fn a_broadcast_argument_is_not_overwritten() {
    let args = [Arg::input(f32_type(&[1, 3]), &[0.0f32; 3]), Arg::input(f32_type(&[2, 3]), &[0.0f32; 6])];
    let (program, _) = Application { op: "add", args: &args, attrs: &[], quant: None }.lower().unwrap();
    let over_b = planner_core::steps::Sharing::InPlace { arg: 1, result: 0 };
    let in_place = |rule: &&_| matches!(rule, planner_core::steps::Sharing::InPlace { .. });
    assert_eq!(program.steps[0].sharing.iter().filter(in_place).collect::<Vec<_>>(), [&over_b]);
}

#[test]
fn not_a_number_stays_so() {
    for (act_name, bounded) in [("none", f32::INFINITY), ("relu6", 6.0)] {
        let args = [Arg::input(f32_type(&[2]), &[f32::NAN, f32::INFINITY]), Arg::input(f32_type(&[1]), &[1.0f32])];
        let attrs = [("act", name(act_name))];
        let got: Vec<f32> = Application { op: "add", args: &args, attrs: &attrs, quant: None }.result();
        assert!(got[0].is_nan() && got[1].to_bits() == bounded.to_bits(), "{got:?}");
    }
}

fn error(op: &'static str, args: &[Arg], quant: Option<Quant>) -> String {
    Application { op, args, attrs: &[], quant }.error()
}

#[test]
fn errors_say_what_would_fit() {
    let f32s = |dims: &[usize]| Arg::Input(f32_type(dims), Vec::new());
    let i8s = |scale| Arg::Input(i8_type(&[2], q(scale, 0)), Vec::new());
    let text = error("add", &[f32s(&[2, 3]), f32s(&[4, 3])], None);
    assert_eq!(
        text,
        "`add`: these shapes do not broadcast\n  got: [2, 3] and [4, 3]\n  \
         wanted: dimensions that, counted from the last, are equal or 1"
    );
    assert!(error("mul", &[f32s(&[2]), i8s(0.5)], None).starts_with("`mul`: `b` cannot be i8\n"));
    assert!(error("add", &[i8s(0.5), i8s(0.5)], None).contains("write `out = i8 q(scale, zero_point)`"));
    assert!(error("minimum", &[i8s(0.5), i8s(0.25)], None).contains("got: q(0.5, 0) and q(0.25, 0)"));
    assert!(error("add", &[i8s(0.5), i8s(0.5)], Some(q(1e-9, 0))).contains("too small for those of the arguments"));
    assert!(error("mul", &[i8s(0.5), i8s(0.5)], Some(q(1e-9, 0))).contains("too small for those of the arguments"));
}

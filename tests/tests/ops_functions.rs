//! Functions of one element or one row, against their definitions.

use planner_core::dtype::DType;
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;
use waterline_tests::build::{f32_type, flag, i8_type, q, quantized};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::activation::clamp;
use waterline_tests::reference::fixed_point::{multiplier, multiply};
use waterline_tests::reference::function::{abs, hard_swish, l2_normalize, log_softmax, real, rsqrt};

const CASES: u64 = 200;

fn quant(random: &mut Random) -> Quant {
    q(random.scale(0.0005, 0.7), i32::try_from(random.int(-128, 127)).unwrap())
}

/// `op` of every i8 against `f`, for random quantisations of argument and result.
fn check_i8(op: &'static str, attrs: &[(&'static str, AttrValue)], f: impl Fn(i8, &Quant, &Quant) -> i64) {
    let all: Vec<i8> = (-128..=127).collect();
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (from, mut to) = (quant(&mut random), quant(&mut random));
        if op == "hard_swish" && to.scale(0) < from.scale(0) / 100.0 {
            to = from.clone();
        }
        let args = [Arg::input(i8_type(&[4, 64], from.clone()), &all)];
        let got: Vec<i8> = Application { op, args: &args, attrs, quant: Some(to.clone()) }.result();
        let want: Vec<i64> = all.iter().map(|&x| f(x, &from, &to).clamp(-128, 127)).collect();
        assert!(got.iter().map(|y| i64::from(*y)).eq(want), "{op} from {from} to {to}");
    }
}

#[test]
fn i8_functions_of_integers_equal_their_definition_to_the_bit() {
    check_i8("abs", &[], abs);
    check_i8("hard_swish", &[], hard_swish);
    check_i8("neg", &[], |x, from, to| {
        let factor = multiplier(f64::from(from.scale(0)) / f64::from(to.scale(0)));
        multiply(i64::from(from.zero_point()) - i64::from(x), factor) + i64::from(to.zero_point())
    });
    check_i8("relu_n1_to_1", &[], |x, from, to| clamp(x, from, to, [-1.0, 1.0]).into());
    check_i8("rsqrt", &[], rsqrt);
}

/// The error function by Simpson's rule.
fn erf(x: f64) -> f64 {
    let steps = 600;
    let h = x / f64::from(steps);
    let f = |i: i32| (-(h * f64::from(i)).powi(2)).exp();
    let inner: f64 = (1..steps).map(|i| f(i) * if i % 2 == 0 { 2.0 } else { 4.0 }).sum();
    (f(0) + inner + f(steps)) * h / 3.0 * 2.0 / std::f64::consts::PI.sqrt()
}

fn gelu(x: f64) -> f64 {
    x / 2.0 * (1.0 + erf(x / 2f64.sqrt()))
}

fn gelu_by_tanh(x: f64) -> f64 {
    x / 2.0 * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
}

fn round_to_even(x: f64) -> f64 {
    let floor = x.floor();
    match x - floor {
        d if d < 0.5 || (d == 0.5 && floor % 2.0 == 0.0) => floor,
        _ => floor + 1.0,
    }
}

/// Name, attributes, the function, and the argument's range.
type Row = (&'static str, &'static [(&'static str, AttrValue)], fn(f64) -> f64, [f32; 2]);

const APPROXIMATE: &[(&str, AttrValue)] = &[("approximate", AttrValue::Bool(true))];

const FUNCTIONS: [Row; 17] = [
    ("abs", &[], f64::abs, [-9.0, 9.0]),
    ("ceil", &[], f64::ceil, [-9.0, 9.0]),
    ("cos", &[], f64::cos, [-9.0, 9.0]),
    ("elu", &[], |x| if x < 0.0 { x.exp_m1() } else { x }, [-9.0, 9.0]),
    ("exp", &[], f64::exp, [-20.0, 20.0]),
    ("floor", &[], f64::floor, [-9.0, 9.0]),
    ("gelu", &[], gelu, [-4.0, 9.0]),
    ("gelu", APPROXIMATE, gelu_by_tanh, [-3.0, 9.0]),
    ("hard_swish", &[], |x| x * (x + 3.0).clamp(0.0, 6.0) / 6.0, [-9.0, 9.0]),
    ("log", &[], |x| if x > 0.0 { x.ln() } else { f64::NEG_INFINITY }, [0.001, 90.0]),
    ("neg", &[], |x| -x, [-9.0, 9.0]),
    ("relu_n1_to_1", &[], |x| x.clamp(-1.0, 1.0), [-9.0, 9.0]),
    ("round", &[], round_to_even, [-9.0, 9.0]),
    ("rsqrt", &[], |x| 1.0 / x.sqrt(), [0.001, 90.0]),
    ("sin", &[], f64::sin, [-9.0, 9.0]),
    ("sqrt", &[], f64::sqrt, [0.0, 90.0]),
    ("square", &[], |x| x * x, [-9.0, 9.0]),
];

#[test]
fn f32_functions_are_close_to_the_real_ones() {
    for (op, attrs, f, [lo, hi]) in FUNCTIONS {
        let mut random = Random::new(3);
        let x: Vec<f32> = (0..400)
            .map(|i| if i % 8 == 0 { (random.f32(lo, hi) * 2.0).round() / 2.0 } else { random.f32(lo, hi) })
            .collect();
        let x: Vec<f32> = x.into_iter().map(|x| x.max(lo)).collect();
        let args = [Arg::input(f32_type(&[20, 20]), &x)];
        let got: Vec<f32> = Application { op, args: &args, attrs, quant: None }.result();
        for (x, y) in x.iter().zip(got) {
            let want = f(f64::from(*x));
            // A sum that cancels is as exact as its terms.
            let tolerance = 1e-5 * want.abs() + 3e-7;
            assert!((f64::from(y) - want).abs() <= tolerance, "{op}({x}) = {y}, not {want}");
        }
    }
}

#[test]
fn other_i8_functions_are_the_real_ones_rounded() {
    #[allow(clippy::cast_possible_truncation, reason = "as near as f32")]
    for (op, attrs, f, _) in FUNCTIONS {
        // The root is rounded to zero.
        if ["abs", "hard_swish", "neg", "relu_n1_to_1", "rsqrt", "sqrt"].contains(&op) {
            continue;
        }
        let all: Vec<i8> = (-128..=127).collect();
        for seed in 0..CASES {
            let mut random = Random::new(seed);
            let (from, to) = (quant(&mut random), quant(&mut random));
            let args = [Arg::input(i8_type(&[256], from.clone()), &all)];
            let got: Vec<i8> = Application { op, args: &args, attrs, quant: Some(to.clone()) }.result();
            for (x, y) in all.iter().zip(got) {
                let want = real(*x, &from, &to, |x| f(f64::from(x)) as f32).clamp(-128, 127);
                // Where the real result lies between two integers, f32 may take either.
                let exact =
                    f(f64::from(from.scale(0) * (i32::from(*x) - from.zero_point()) as f32)) / f64::from(to.scale(0));
                let halfway = (exact.fract().abs() - 0.5).abs() < 1e-3 * (1.0 + exact.abs() * 1e-3);
                assert!(i64::from(y) == want || halfway, "{op}({x}) from {from} to {to} is {y}, not {want}");
            }
        }
    }
}

#[test]
fn i8_rows_equal_their_definition_to_the_bit() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (rows, width, from) = (random.size(1, 3), random.pick(&[1, 2, 9, 100, 300]), quant(&mut random));
        let mut x = random.i8s(rows * width);
        if random.one_in(3) {
            x.iter_mut().for_each(|x| *x /= 16);
        }
        let run = |op| {
            let args = [Arg::input(i8_type(&[rows, width], from.clone()), &x)];
            Application { op, args: &args, attrs: &[], quant: None }.result::<i8>()
        };
        let want: Vec<i8> = x.chunks(width).flat_map(|row| log_softmax(row, &from)).collect();
        assert_eq!(run("log_softmax"), want, "log_softmax of {width}, {from}");
        // u8 is the same 128 further up.
        let x_u8: Vec<u8> = x.iter().map(|x| x.cast_unsigned() ^ 0x80).collect();
        let quant = q(from.scale(0), from.zero_point() + 128);
        let args = [Arg::input(quantized(DType::U8, &[rows, width], quant), &x_u8)];
        let got = Application { op: "log_softmax", args: &args, attrs: &[], quant: None }.result::<u8>();
        assert!(got.iter().map(|y| (y ^ 0x80).cast_signed()).eq(want), "log_softmax of u8, {width}, {from}");
        let wide: Vec<i64> = x.iter().map(|x| i64::from(*x)).collect();
        let want = wide.chunks(width).flat_map(|row| l2_normalize(row, &from, false)).map(|y| y.clamp(-128, 127));
        assert!(run("l2_normalize").into_iter().map(i64::from).eq(want), "l2_normalize of {width}, {from}");
    }
}

#[test]
fn f32_rows_are_close_to_the_real_functions() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (rows, width) = (random.size(1, 4), random.size(1, 40));
        let x: Vec<f32> = random.f32s(rows * width).iter().map(|x| x * 5.0).collect();
        let run = |op| {
            let args = [Arg::input(f32_type(&[rows, width]), &x)];
            Application { op, args: &args, attrs: &[], quant: None }.result::<f32>()
        };
        let real = |row: &[f32]| row.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
        let log: Vec<f64> = x
            .chunks(width)
            .flat_map(|row| {
                let sum: f64 = real(row).iter().map(|x| x.exp()).sum();
                real(row).into_iter().map(move |x| x - sum.ln())
            })
            .collect();
        for (got, want) in run("log_softmax").iter().zip(log) {
            assert!((f64::from(*got) - want).abs() <= 1e-5 * (1.0 + want.abs()), "{got}, not {want}");
        }
        let unit: Vec<f64> = x
            .chunks(width)
            .flat_map(|row| {
                let length = real(row).iter().map(|x| x * x).sum::<f64>().sqrt();
                real(row).into_iter().map(move |x| x / length)
            })
            .collect();
        for (got, want) in run("l2_normalize").iter().zip(unit) {
            assert!((f64::from(*got) - want).abs() <= 1e-5, "{got}, not {want}");
        }
    }
}

#[test]
fn errors_say_what_would_fit() {
    let i8s = [Arg::Input(i8_type(&[2], q(0.5, 0)), Vec::new())];
    let error = |op, args, quant| Application { op, args, attrs: &[], quant }.error();
    assert!(error("exp", &i8s, None).contains("write `out = i8 q(scale, zero_point)`"));
    let text = error("hard_swish", &i8s, Some(q(0.001, 0)));
    assert!(text.contains("got: q(0.5, 0) to q(0.001, 0)\n  wanted: a scale above 1/128"), "{text}");
    assert!(error("log_softmax", &i8s, Some(q(0.5, 0))).contains("wanted: q(0.0625, 127)"));
    assert!(error("l2_normalize", &i8s, Some(q(0.5, 0))).contains("wanted: q(0.0078125, 0)"));
    let scalar = [Arg::Input(f32_type(&[]), Vec::new())];
    assert!(error("log_softmax", &scalar, None).contains("`x` has no dimensions"));
    let attrs = [("approximate", flag(true))];
    let text = Application { op: "gelu", args: &[Arg::Input(f32_type(&[]), Vec::new())], attrs: &attrs, quant: None };
    assert!(text.lower().is_ok());
}

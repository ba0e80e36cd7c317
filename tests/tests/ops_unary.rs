//! Activations and conversions of one element at a time, against their definitions.

use planner_core::ops::AttrValue;
use planner_core::quant::Quant;
use waterline_tests::build::{f32_type, float, i8_type, q};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::activation::{clamp, leaky_relu, quantized, sigmoid, tanh};

const CASES: u64 = 250;

fn quant(random: &mut Random) -> Quant {
    q(random.scale(0.0005, 0.7), i32::try_from(random.int(-128, 127)).unwrap())
}

/// Every i8 under `quant` through `op`.
fn all_i8(op: &'static str, attrs: &[(&'static str, AttrValue)], from: &Quant, to: Option<&Quant>) -> Vec<i8> {
    let x: Vec<i8> = (-128..=127).collect();
    let args = [Arg::input(i8_type(&[4, 64], from.clone()), &x)];
    Application { op, args: &args, attrs, quant: to.cloned() }.result()
}

/// `op` against `f` for random quantisations of argument and result, one in three the same.
fn check_i8(
    op: &'static str,
    attrs: impl Fn(&mut Random) -> Vec<(&'static str, AttrValue)>,
    f: impl Fn(i8, &Quant, &Quant, &[(&str, AttrValue)]) -> i8,
) {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let from = quant(&mut random);
        let declared = (op == "requantize" || !random.one_in(3)).then(|| quant(&mut random));
        let to = declared.as_ref().unwrap_or(&from);
        let attrs = attrs(&mut random);
        let want: Vec<i8> = (-128..=127).map(|x| f(x, &from, to, &attrs)).collect();
        assert_eq!(all_i8(op, &attrs, &from, declared.as_ref()), want, "{op} from {from} to {to}");
    }
}

#[test]
fn i8_clamps_equal_their_definition_to_the_bit() {
    check_i8("relu", |_| Vec::new(), |x, from, to, _| clamp(x, from, to, [0.0, f32::INFINITY]));
    check_i8("relu6", |_| Vec::new(), |x, from, to, _| clamp(x, from, to, [0.0, 6.0]));
    let unbounded = [f32::NEG_INFINITY, f32::INFINITY];
    check_i8("requantize", |_| Vec::new(), |x, from, to, _| clamp(x, from, to, unbounded));
}

#[test]
fn i8_leaky_relu_equals_its_definition_to_the_bit() {
    let alpha = |random: &mut Random| vec![("alpha", float(random.pick(&[0.01, 0.3, -0.5, 1.7])))];
    check_i8("leaky_relu", alpha, |x, from, to, attrs| match attrs {
        [(_, AttrValue::Float(alpha))] => leaky_relu(x, from, to, *alpha),
        other => panic!("{other:?}"),
    });
}

/// The quotient of these scales is a little less than 1.5, and 1.5 in f32.
#[test]
fn i8_leaky_relu_divides_its_scales_in_f32() {
    let (from, to) = (q(25_165_822.0 * 2f32.powi(-30), 0), q(16_777_215.0 * 2f32.powi(-30), 0));
    let one_and_two = |op| [129, 130].map(|index| all_i8(op, &[], &from, Some(&to))[index]);
    assert_eq!(one_and_two("leaky_relu"), [2, 3], "1.5 rounds up");
    assert_eq!(one_and_two("requantize"), [1, 3], "less than 1.5 rounds down");
}

#[test]
fn i8_sigmoid_and_tanh_equal_their_definition_to_the_bit() {
    for seed in 0..CASES {
        let from = quant(&mut Random::new(seed));
        let want: Vec<i8> = (-128..=127).map(|x| sigmoid(x, &from)).collect();
        assert_eq!(all_i8("sigmoid", &[], &from, None), want, "sigmoid from {from}");
        let want: Vec<i8> = (-128..=127).map(|x| tanh(x, &from)).collect();
        assert_eq!(all_i8("tanh", &[], &from, None), want, "tanh from {from}");
    }
}

fn f32s(op: &'static str, attrs: &[(&'static str, AttrValue)], x: &[f32]) -> Vec<f32> {
    let args = [Arg::input(f32_type(&[x.len()]), x)];
    Application { op, args: &args, attrs, quant: None }.result()
}

#[test]
fn f32_is_close_to_the_real_function() {
    let alpha = [("alpha", float(0.25))];
    #[allow(clippy::type_complexity, reason = "a table read once")]
    let functions: [(&str, &[(&str, AttrValue)], fn(f64) -> f64); 5] = [
        ("relu", &[], |x| x.max(0.0)),
        ("relu6", &[], |x| x.clamp(0.0, 6.0)),
        ("leaky_relu", &alpha, |x| if x > 0.0 { x } else { 0.25 * x }),
        // TFLite's formulas near 0.
        ("sigmoid", &[], |x| if x < -9.0 { x.exp() } else { 1.0 / (1.0 + (-x).exp()) }),
        ("tanh", &[], f64::tanh),
    ];
    for (op, attrs, f) in functions {
        let mut random = Random::new(1);
        let x: Vec<f32> = (0..400).map(|_| random.f32(-1.0, 1.0) * random.scale(0.01, 80.0)).collect();
        for (x, y) in x.iter().zip(f32s(op, attrs, &x)) {
            let want = f(f64::from(*x));
            // Results that round to 0 or 1 are allowed to.
            let tolerance = 1e-5 * want.abs() + 1e-30;
            assert!((f64::from(y) - want).abs() <= tolerance, "{op}({x}) = {y}, not {want}");
        }
    }
}

#[test]
fn extremes_of_f32_stay_finite() {
    let x = [f32::MIN, -200.0, 200.0, f32::MAX];
    assert_eq!(f32s("sigmoid", &[], &x), [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(f32s("tanh", &[], &x), [-1.0, -1.0, 1.0, 1.0]);
    assert!(f32s("relu", &[], &[f32::NAN])[0].is_nan());
}

#[test]
fn quantize_rounds_halves_away_from_zero() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let quant = quant(&mut random);
        let scale = quant.scale(0);
        let x: Vec<f32> = (0..100)
            .map(|_| match random.size(0, 9) {
                0 => scale * (random.pick(&[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])),
                1 => random.pick(&[f32::MIN, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, 0.0]),
                _ => scale * random.f32(-200.0, 200.0),
            })
            .collect();
        let args = [Arg::input(f32_type(&[100]), &x)];
        let got: Vec<i8> = Application { op: "quantize", args: &args, attrs: &[], quant: Some(quant.clone()) }.result();
        let want: Vec<i8> = x.iter().map(|&x| i8::try_from(quantized(x, &quant)).unwrap()).collect();
        assert_eq!(got, want, "{quant} of {x:?}");
    }
}

#[test]
#[allow(clippy::float_cmp, clippy::cast_possible_truncation, reason = "one rounding")]
fn dequantize_rounds_once() {
    for seed in 0..CASES {
        let quant = quant(&mut Random::new(seed));
        let x: Vec<i8> = (-128..=127).collect();
        let args = [Arg::input(i8_type(&[256], quant.clone()), &x)];
        let got: Vec<f32> = Application { op: "dequantize", args: &args, attrs: &[], quant: None }.result();
        let real = |x: &i8| f64::from(quant.scale(0)) * f64::from(i32::from(*x) - quant.zero_point());
        assert_eq!(got, x.iter().map(|x| real(x) as f32).collect::<Vec<_>>(), "{quant}");
    }
}

#[test]
fn errors_say_what_would_fit() {
    let i8s = [Arg::Input(i8_type(&[2], q(0.5, 0)), Vec::new())];
    let f32s = [Arg::Input(f32_type(&[2]), Vec::new())];
    let error = |op, args, quant| Application { op, args, attrs: &[], quant }.error();
    let text = error("sigmoid", &i8s, Some(q(0.5, 0)));
    assert!(text.contains("got: q(0.5, 0)\n  wanted: q(0.00390625, -128)"), "{text}");
    assert!(error("tanh", &i8s, Some(q(0.5, 0))).contains("wanted: q(0.0078125, 0)"));
    assert!(error("quantize", &f32s, None).contains("write `out = i8 q(scale, zero_point)`"));
    assert!(error("quantize", &i8s, None).contains("wanted: f32"));
    assert!(error("dequantize", &f32s, None).contains("wanted: i8"));
    assert!(error("requantize", &i8s, None).contains("write `out = i8 q(scale, zero_point)`"));
}

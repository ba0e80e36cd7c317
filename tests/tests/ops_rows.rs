//! `softmax` and `layer_norm` against their definitions.

use planner_core::dtype::DType;
use planner_core::ops::AttrValue;
use waterline_tests::build::{Builder, f32_type, float, i8_type, ints, q};
use waterline_tests::interpreter::Interpreter;
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::softmax::{layer_norm, softmax, softmax_i8};

const CASES: u64 = 250;

fn dims(random: &mut Random, widest: usize) -> Vec<usize> {
    let mut dims: Vec<usize> = (0..random.size(0, 3)).map(|_| random.size(1, 4)).collect();
    dims.push(random.size(1, widest));
    dims
}

fn to_f64(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| v.into()).collect()
}

fn assert_close(got: &[f32], want: &[f64], scale: f64, context: &str) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((f64::from(*got) - want).abs() <= 1e-5 * (want.abs() + scale), "{got} is not {want}: {context}");
    }
}

#[test]
fn f32_softmax_is_close_to_the_real_one() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let dims = dims(&mut random, 40);
        let reach = random.pick(&[1.0, 10.0, 100.0]);
        let x: Vec<f32> = (0..dims.iter().product()).map(|_| random.f32(-reach, reach)).collect();
        let beta = random.pick(&[1.0, 0.25, 2.0]);
        let args = [Arg::input(f32_type(&dims), &x)];
        let attrs = [("beta", float(beta))];
        let got: Vec<f32> = Application { op: "softmax", args: &args, attrs: &attrs, quant: None }.result();
        let width = *dims.last().unwrap();
        let want: Vec<f64> = to_f64(&x).chunks(width).flat_map(|row| softmax(row, beta.into())).collect();
        // An exponent of 200 has an error of 1e-5 by itself.
        assert_close(&got, &want, 1e-2, &format!("{dims:?}, beta {beta}, seed {seed}"));
    }
}

#[test]
fn i8_softmax_equals_its_definition_to_the_bit() {
    for seed in 0..2 * CASES {
        let mut random = Random::new(seed);
        let widest = random.pick(&[2, 12, 300]);
        let dims = dims(&mut random, widest);
        let mut x = random.i8s(dims.iter().product());
        if random.one_in(3) {
            // Little between the elements of a row.
            for x in &mut x {
                *x /= 16;
            }
        }
        let quant = q(random.scale(0.0002, 2.0), i32::try_from(random.int(-128, 127)).unwrap());
        let beta = random.pick(&[1.0, 0.5, 3.0]);
        let args = [Arg::input(i8_type(&dims, quant.clone()), &x)];
        let attrs = [("beta", float(beta))];
        let got: Vec<i8> = Application { op: "softmax", args: &args, attrs: &attrs, quant: None }.result();
        let width = *dims.last().unwrap();
        let want = |bits| -> Vec<i64> { x.chunks(width).flat_map(|row| softmax_i8(row, &quant, beta, bits)).collect() };
        let context = format!("{dims:?}, beta {beta}, seed {seed}");
        assert!(got.iter().map(|y| i64::from(*y)).eq(want(8)), "{context}");

        let mut net = Builder::new();
        let input = net.input("x", i8_type(&dims, quant.clone()));
        let y = net.apply("softmax", &[input], &attrs);
        net.model.tensors[y.0].declared.dtype = Some(DType::I16);
        net.output(y);
        let program = net.lower().unwrap();
        assert_eq!(program.tensor(y).ty.to_string(), format!("i16{dims:?} q(0.000015258789, -32768)"));
        let got = Interpreter::new(&program, &[]).pieces(3).run_apart(&[bytemuck::cast_slice(&x).to_vec()]).remove(0);
        let got = got.as_chunks().0.iter().map(|y| i64::from(i16::from_le_bytes(*y)));
        assert!(got.eq(want(16)), "i16, {context}");
    }
}

#[test]
fn the_scale_of_a_wide_softmax_is_nearly_fixed() {
    let of = |scale: f32, zero: i32| {
        let mut net = Builder::new();
        let x = net.input("x", i8_type(&[3], q(0.1, 0)));
        let y = net.apply_q("softmax", &[x], &[], q(scale, zero));
        net.model.tensors[y.0].declared.dtype = Some(DType::I16);
        net.output(y);
        net.infer().map(|typed| typed.ty(y).to_string()).map_err(|found| found.0[0].to_string())
    };
    // A 65535th, as converters write it.
    assert_eq!(of(1.525_902_2e-5, -32768).unwrap(), "i16[3] q(0.000015259022, -32768)");
    for error in [of(1.53e-5, -32768), of(1.0 / 65536.0, 0)].map(Result::unwrap_err) {
        assert!(error.contains("scale and zero point are not free"), "{error}");
        assert!(error.contains("wanted: q(0.000015258789, -32768)"), "{error}");
    }
}

#[test]
fn rows_of_many_equal_i8_share_nothing() {
    for width in [600, 1200, 4095] {
        let args = [Arg::input(i8_type(&[width], q(0.1, 0)), &vec![5i8; width])];
        let got: Vec<i8> = Application { op: "softmax", args: &args, attrs: &[], quant: None }.result();
        assert!(got.iter().all(|share| *share == -128), "{width}: {:?}", &got[..4]);
    }
}

#[test]
fn large_logits_give_numbers() {
    let x = [90.0f32, 100.0, -1e30, 89.0];
    let args = [Arg::input(f32_type(&[4]), &x)];
    let got: Vec<f32> = Application { op: "softmax", args: &args, attrs: &[], quant: None }.result();
    assert_close(&got, &softmax(&to_f64(&x), 1.0), 1e-6, "large logits");
    let args = [Arg::input(i8_type(&[4], q(1.0, 0)), &[90i8, 127, -128, 89])];
    let got: Vec<i8> = Application { op: "softmax", args: &args, attrs: &[], quant: None }.result();
    assert_eq!(got, [-128, 127, -128, -128]);
}

#[test]
fn layer_norm_is_close_to_the_real_one() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let dims = dims(&mut random, 40);
        let axes = random.size(1, dims.len());
        let row: Vec<usize> = dims[dims.len() - axes..].to_vec();
        let width = row.iter().product();
        let x: Vec<f32> = (0..dims.iter().product()).map(|_| random.f32(-3.0, 5.0)).collect();
        let (gamma, beta) = (random.f32s(width), random.f32s(width));
        let mut args = vec![Arg::input(f32_type(&dims), &x)];
        let optional = random.size(0, 2);
        args.extend([Arg::param(f32_type(&row), &gamma), Arg::param(f32_type(&row), &beta)].into_iter().take(optional));
        let list: Vec<i64> = (1..=i64::try_from(axes).unwrap()).map(|back| -back).collect();
        let epsilon = random.pick(&[1e-5, 1e-3, 0.5]);
        let attrs = [("axes", ints(&list)), ("epsilon", float(epsilon))];
        let got: Vec<f32> = Application { op: "layer_norm", args: &args, attrs: &attrs, quant: None }.result();
        let gamma = if optional > 0 { to_f64(&gamma) } else { vec![1.0; width] };
        let beta = if optional > 1 { to_f64(&beta) } else { vec![0.0; width] };
        let rows = to_f64(&x);
        let rows = rows.chunks(width).flat_map(|row| layer_norm(row, epsilon.into(), &gamma, &beta));
        assert_close(&got, &rows.collect::<Vec<_>>(), 1.0, &format!("{dims:?}, {axes} axes, seed {seed}"));
    }
}

#[test]
fn errors_say_what_would_fit() {
    let error =
        |op, args: &[Arg], attrs: &[(&'static str, AttrValue)]| Application { op, args, attrs, quant: None }.error();
    let wide = [Arg::Input(i8_type(&[4096], q(0.1, 0)), Vec::new())];
    assert!(error("softmax", &wide, &[]).contains("wanted: at most 4095"));
    let x = [Arg::Input(f32_type(&[2, 3]), Vec::new())];
    assert!(error("softmax", &x, &[("beta", float(0.0))]).contains("`beta` is not positive"));
    assert!(error("layer_norm", &x, &[("axes", ints(&[0]))]).contains("the axes are not the last ones"));
    assert!(error("layer_norm", &x, &[("epsilon", float(0.0))]).contains("`epsilon` is not positive"));
    let gamma = [x[0].clone(), Arg::Param(f32_type(&[2]), vec![0; 8])];
    assert!(error("layer_norm", &gamma, &[]).contains("`gamma` has the wrong shape\n  got: f32[2]\n  wanted: f32[3]"));
    let computed = [x[0].clone(), Arg::Input(f32_type(&[3]), Vec::new())];
    assert!(error("layer_norm", &computed, &[]).contains("wanted: a `param`"));
}

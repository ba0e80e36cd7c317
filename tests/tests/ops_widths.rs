//! Operators of u8, i16 and i32 beyond layers, against their definition.

use planner_core::diagnostic::Kind;
use planner_core::dtype::DType;
use planner_core::model::TensorType;
use planner_core::ops::{ArgSpec, Role, TABLE};
use planner_core::quant::Quant;
use waterline_tests::build::{flag, float, i8_type, ints, name, q, quantized, shape};
use waterline_tests::integers::{bytes, integers, zero_point};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::arithmetic::{COMPARISONS, prelu, quotient, reals, squared_difference};
use waterline_tests::reference::fixed_point::{multiplier, multiply};
use waterline_tests::reference::function::{abs, hard_swish, l2_normalize, real, rsqrt};
use waterline_tests::reference::reduce::{matmul, windows};
use waterline_tests::reference::types::scaled_wide;

const CASES: u64 = 150;
/// The types of quantised integers that have tables of their own in no other test.
const WIDTHS: [DType; 2] = [DType::U8, DType::I16];

fn clamp(dtype: DType, x: i64) -> i64 {
    let range = dtype.range().unwrap();
    x.clamp((*range.start()).into(), (*range.end()).into())
}

/// A scale at which the integers of `dtype` span some tens.
fn scale(random: &mut Random, dtype: DType) -> f32 {
    if dtype == DType::I16 { random.scale(0.0003, 0.002) } else { random.scale(0.02, 0.3) }
}

fn quant(random: &mut Random, dtype: DType) -> Quant {
    q(scale(random, dtype), zero_point(random, dtype))
}

/// The bytes of what `op` makes of elements of `dtype`.
fn run(op: &'static str, dtype: DType, args: &[(&Quant, &[u8])], to: Option<&Quant>) -> Vec<u8> {
    let arg = |(quant, bytes): &(&Quant, &[u8])| {
        Arg::Input(quantized(dtype, &[bytes.len() / dtype.bytes()], (*quant).clone()), bytes.to_vec())
    };
    let args: Vec<Arg> = args.iter().map(arg).collect();
    Application { op, args: &args, attrs: &[], quant: to.cloned() }.run().remove(0)
}

#[test]
fn pairs() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        for dtype in WIDTHS {
            let (qa, qb, zero) = (quant(random, dtype), quant(random, dtype), zero_point(random, dtype));
            let ((a_bytes, a), (b_bytes, b)) = (integers(random, dtype, 24), integers(random, dtype, 24));
            let args = [(&qa, &*a_bytes), (&qb, &*b_bytes)];
            let check = |op, scale: f32, f: &dyn Fn(i64, i64, [&Quant; 3]) -> Option<i64>| {
                let to = q(scale, zero);
                let got = run(op, dtype, &args, Some(&to));
                for (i, got) in got.chunks(dtype.bytes()).enumerate() {
                    let Some(want) = f(a[i], b[i], [&qa, &qb, &to]) else { continue };
                    let want = bytes(dtype, &[clamp(dtype, want)]);
                    assert_eq!(got, want, "{op} of {dtype}({}, {}), seed {seed}", a[i], b[i]);
                }
            };
            check("div", qa.scale(0) / qb.scale(0) * random.scale(0.02, 1.0), &quotient);
            let slope = (qa.scale(0) * qb.scale(0) * 2.0).max(qa.scale(0) / 1000.0) * random.scale(1.0, 90.0);
            check("prelu", slope, &|a, b, quants| Some(prelu(a, b, quants)));
            if dtype == DType::I16 {
                let common = 2.0 * qa.scale(0).max(qb.scale(0));
                let square = common * common * random.scale(1.1, 9000.0);
                check("squared_difference", square, &|a, b, quants| Some(squared_difference(a, b, quants, 0)));
            }
        }
    }
}

/// Which i16 of equal scales is less is told exactly, everything else to eight fractional bits.
#[test]
fn comparisons() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        for dtype in WIDTHS {
            let qa = quant(random, dtype);
            let qb = if random.one_in(2) { qa.clone() } else { quant(random, dtype) };
            let ((_, mut a), (_, b)) = (integers(random, dtype, 24), integers(random, dtype, 24));
            a.iter_mut().zip(&b).step_by(2).for_each(|(a, b)| *a = clamp(dtype, b + random.int(-1, 1)));
            let args = [bytes(dtype, &a), bytes(dtype, &b)];
            for (op, f) in COMPARISONS {
                let exact = dtype == DType::I16
                    && qa == qb
                    && !op.ends_with("equal") | op.contains("_equal")
                    && op != "not_equal";
                let holds = |(a, b): (&i64, &i64)| {
                    let [a, b] = if exact { [*a, *b] } else { reals(*a, *b, [&qa, &qb]) };
                    u8::from(f(&a, &b))
                };
                let want: Vec<u8> = a.iter().zip(&b).map(holds).collect();
                let got = run(op, dtype, &[(&qa, &args[0]), (&qb, &args[1])], None);
                assert_eq!(got, want, "{op} of {dtype}, {qa} and {qb}, seed {seed}");
            }
        }
    }
}

#[test]
fn functions_of_integers() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        for dtype in WIDTHS {
            let (from, to) = (quant(random, dtype), quant(random, dtype));
            let (x_bytes, x) = integers(random, dtype, 40);
            let check = |op, to: &Quant, f: &dyn Fn(i64, &Quant, &Quant) -> i64| {
                let want: Vec<i64> = x.iter().map(|x| clamp(dtype, f(*x, &from, to))).collect();
                let got = run(op, dtype, &[(&from, &x_bytes)], Some(to));
                assert_eq!(got, bytes(dtype, &want), "{op} of {dtype}, {from} to {to}, seed {seed}");
            };
            check("abs", &to, &abs);
            check("rsqrt", &to, &rsqrt);
            check("neg", &from, &|x, from, _| 2 * i64::from(from.zero_point()) - x);
            #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "small integers")]
            check("sqrt", &to, &|x, from, to| {
                let root = (from.scale(0) * (x - i64::from(from.zero_point())) as f32).sqrt();
                (root / to.scale(0)) as i64 + i64::from(to.zero_point())
            });
            if dtype == DType::U8 {
                check("hard_swish", &to, &hard_swish);
            }
        }
    }
}

#[test]
fn slopes_of_i16_may_be_negative() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let (from, to) = (quant(random, DType::I16), quant(random, DType::I16));
        let alpha = random.pick(&[-0.5f32, -1.7, 0.3]);
        let (x_bytes, x) = integers(random, DType::I16, 40);
        let args = [Arg::Input(quantized(DType::I16, &[40], from.clone()), x_bytes)];
        let attrs = [("alpha", float(alpha))];
        let got = Application { op: "leaky_relu", args: &args, attrs: &attrs, quant: Some(to.clone()) }.run().remove(0);
        let factor = |slope: f32| multiplier((from.scale(0) * slope.abs() / to.scale(0)).into());
        let sign = if alpha < 0.0 { -1 } else { 1 };
        let of = |x: &i64| if *x < 0 { multiply(sign * x, factor(alpha)) } else { multiply(*x, factor(1.0)) };
        let want: Vec<i64> = x.iter().map(|x| clamp(DType::I16, of(x))).collect();
        assert_eq!(got, bytes(DType::I16, &want), "{alpha}, seed {seed}");
    }
}

/// Of u8 to the nearest integer, of i16 by 513 samples: as near to the function as its curve allows.
#[test]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the reference's rounding")]
fn real_functions() {
    let functions: [(&str, fn(f64) -> f64); 5] = [
        ("exp", f64::exp),
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("elu", |x| if x < 0.0 { x.exp_m1() } else { x }),
        ("square", |x| x * x),
    ];
    for (op, f) in functions {
        for seed in 0..40 {
            let random = &mut Random::new(seed);
            for dtype in WIDTHS {
                let from = if dtype == DType::I16 { q(random.scale(0.00005, 0.0002), 0) } else { quant(random, dtype) };
                let to = quant(random, dtype);
                let (x_bytes, x) = integers(random, dtype, 64);
                let got = run(op, dtype, &[(&from, &x_bytes)], Some(&to));
                let got = got.chunks(dtype.bytes()).map(|y| match *y {
                    [y] => i64::from(y),
                    [low, high] => i64::from(i16::from_le_bytes([low, high])),
                    _ => unreachable!("one or two bytes"),
                });
                for (&x, got) in x.iter().zip(got) {
                    let want = clamp(dtype, real(x, &from, &to, |x| f(x.into()) as f32));
                    let exact = f(f64::from(from.scale(0)) * (x - i64::from(from.zero_point())) as f64);
                    // The line between two samples of which one is out of range is as far off.
                    if dtype == DType::I16 && want.abs() > 31_000 {
                        continue;
                    }
                    // Between samples the curve is a line; f32 may round either way.
                    let curve = 2.0 + exact.abs() * 0.001 / f64::from(to.scale(0));
                    let near = if dtype == DType::I16 { curve } else { 1.0 };
                    assert!(
                        (got - want).abs() as f64 <= near,
                        "{op} of {dtype}({x}) = {got}, not {want}, {from} to {to}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_has_no_logarithm_has_the_least() {
    let got = run("log", DType::U8, &[(&q(0.1, 100), &[0, 99, 100, 110])], Some(&q(0.1, 128)));
    assert_eq!(got, [0, 0, 0, 128], "the logarithm of 1 is 0");
    let x = bytes(DType::I16, &[-32768, -1280]);
    let got = run("log", DType::I16, &[(&q(0.001, 0), &x)], Some(&q(0.001, 0)));
    assert_eq!(got, bytes(DType::I16, &[-32768, -32768]));
}

#[test]
fn rows_of_u8_by_their_length() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let (width, from) = (random.pick(&[1, 2, 9, 100]), quant(random, DType::U8));
        let (x_bytes, x) = integers(random, DType::U8, 2 * width);
        let args = [Arg::Input(quantized(DType::U8, &[2, width], from.clone()), x_bytes)];
        let got = Application { op: "l2_normalize", args: &args, attrs: &[], quant: None }.run().remove(0);
        let want: Vec<i64> = x.chunks(width).flat_map(|row| l2_normalize(row, &from, true)).collect();
        let want: Vec<i64> = want.into_iter().map(|y| clamp(DType::U8, y)).collect();
        assert_eq!(got, bytes(DType::U8, &want), "{width}, {from}");
    }
}

#[test]
fn products_of_matrices_of_i16() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let [m, k, n] = [(); 3].map(|()| random.size(1, 6));
        let transposed = [random.one_in(2), random.one_in(2)];
        let turned =
            |turn: bool, [rows, columns]: [usize; 2]| if turn { [2, columns, rows] } else { [2, rows, columns] };
        let (a_dims, b_dims) = (turned(transposed[0], [m, k]), turned(transposed[1], [k, n]));
        let (qa, qb) = (quant(random, DType::I16), quant(random, DType::I16));
        let to = q(qa.scale(0) * qb.scale(0) * random.scale(100.0, 50_000.0), 0);
        let (a_bytes, a) = integers(random, DType::I16, 2 * m * k);
        let (b_bytes, b) = integers(random, DType::I16, 2 * k * n);
        let args = [
            Arg::Input(quantized(DType::I16, &a_dims, qa.clone()), a_bytes),
            Arg::Input(quantized(DType::I16, &b_dims, qb.clone()), b_bytes),
        ];
        let attrs = [("transpose_a", flag(transposed[0])), ("transpose_b", flag(transposed[1]))];
        let got = Application { op: "matmul", args: &args, attrs: &attrs, quant: Some(to.clone()) }.run().remove(0);
        let factor = multiplier(f64::from(qa.scale(0) * qb.scale(0)) / f64::from(to.scale(0)));
        let (_, products) = matmul(&a_dims, &b_dims, transposed);
        let sum = |products: &Vec<[usize; 2]>| products.iter().map(|&[i, j]| a[i] * b[j]).sum::<i64>();
        let want: Vec<i64> = products.iter().map(|p| clamp(DType::I16, scaled_wide(sum(p), factor))).collect();
        assert_eq!(got, bytes(DType::I16, &want), "{a_dims:?} {b_dims:?}, seed {seed}");
    }
}

#[test]
fn i32_wraps_around_and_divides_to_zero() {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let dims = [random.size(1, 4), random.size(1, 4), random.size(1, 4)];
        let axes: Vec<usize> = (0..3).filter(|axis| *axis == 1 || random.one_in(2)).collect();
        let ty = TensorType::plain(DType::I32, shape(&dims));
        let x: Vec<i64> = (0..dims.iter().product()).map(|_| random.int(-70_000, 70_000)).collect();
        let args = [Arg::Input(ty, bytes(DType::I32, &x))];
        let attrs = [("axes", ints(&axes.iter().map(|&axis| i64::try_from(axis).unwrap()).collect::<Vec<_>>()))];
        let check = |op, f: &dyn Fn(Vec<i64>) -> i64| {
            let windows = windows(&dims, &axes);
            let want: Vec<i64> = windows.iter().map(|window| f(window.iter().map(|&i| x[i]).collect())).collect();
            let got = Application { op, args: &args, attrs: &attrs, quant: None }.run().remove(0);
            assert_eq!(got, bytes(DType::I32, &want), "{op}, seed {seed}");
        };
        check("sum", &|window| window.iter().sum());
        check("mean", &|window| window.iter().sum::<i64>() / i64::try_from(window.len()).unwrap());
        check("max", &|window| window.into_iter().max().unwrap());
        check("min", &|window| window.into_iter().min().unwrap());
    }
    let ends = [i32::MIN, -5, 0, 7];
    let one = |op| {
        let args = [Arg::input(TensorType::plain(DType::I32, shape(&[4])), &ends)];
        Application { op, args: &args, attrs: &[], quant: None }.result::<i32>()
    };
    assert_eq!(one("abs"), ends.map(i32::wrapping_abs));
    assert_eq!(one("neg"), ends.map(i32::wrapping_neg));
}

/// Of operators of one tensor that need nothing more to be written.
#[test]
fn the_documentation_names_the_types_that_are_taken() {
    let mut seen = 0;
    for op in TABLE {
        let signature = op.signature();
        let plain = matches!(signature.args, [ArgSpec { role: Role::Any, .. }]);
        if !plain || signature.name == "quantize" || signature.attrs.iter().any(|attr| attr.default.is_none()) {
            continue;
        }
        for dtype in [DType::F32, DType::I8, DType::U8, DType::I16, DType::I32, DType::Bool] {
            let plain = TensorType::plain(dtype, shape(&[1, 2, 3, 1]));
            let ty = if dtype.is_quantized() || signature.name == "requantize" && dtype == DType::I32 {
                quantized(dtype, &[1, 2, 3, 1], q(1.0, 0))
            } else {
                plain
            };
            let lowered = |to: Option<Quant>| {
                let args = [Arg::Input(ty.clone(), vec![0; 6 * dtype.bytes()])];
                Application { op: signature.name, args: &args, attrs: &[], quant: to }.lower()
            };
            let refused = |to| lowered(to).is_err_and(|found| found.0.iter().any(|d| d.kind == Kind::DType));
            let refused = refused(None) || refused(Some(q(1.0, 0)));
            let named = signature.args[0].dtypes().contains(&dtype);
            assert_eq!(named, !refused, "{} of {dtype}", signature.name);
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen} types of operators");
}

#[test]
fn types_that_an_operator_lacks_are_named() {
    let of = |op, dtype| {
        let x = Arg::Input(quantized(dtype, &[2, 3], q(0.1, 0)), Vec::new());
        Application { op, args: &[x], attrs: &[], quant: Some(q(0.1, 0)) }.error()
    };
    assert!(
        of("hard_swish", DType::I16)
            .contains("`x` cannot be i16\n  got: i16[2, 3] q(0.1, 0)\n  wanted: f32 or i8 or u8")
    );
    assert!(of("log_softmax", DType::I16).contains("wanted: f32 or i8 or u8"));
    let args = [Arg::Input(i8_type(&[2, 3], q(0.1, 0)), Vec::new())];
    let error = Application { op: "prod", args: &args, attrs: &[("axes", ints(&[0]))], quant: None }.error();
    assert!(error.contains("`x` cannot be i8\n  got: i8[2, 3] q(0.1, 0)\n  wanted: f32 or i32"), "{error}");
    let x = Arg::Input(quantized(DType::I16, &[2], q(0.1, 3)), Vec::new());
    for op in ["exp", "gelu", "div"] {
        let args = if op == "div" { vec![x.clone(), Arg::Again(0)] } else { vec![x.clone()] };
        let error = Application { op, args: &args, attrs: &[], quant: Some(q(0.1, 0)) }.error();
        assert!(error.contains("of i16 has a zero point other than 0"), "{op}: {error}");
    }
    let args = [Arg::Input(i8_type(&[2], q(0.1, 0)), Vec::new())];
    let error = Application { op: "cast", args: &args, attrs: &[("to", name("i16"))], quant: None }.error();
    assert!(error.contains("i8 does not become i16 at once"), "{error}");
}

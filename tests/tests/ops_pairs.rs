//! Quotients, powers, comparisons, logic and choices of tensors that broadcast, against their definitions.

use bytemuck::Pod;
use planner_core::dtype::DType;
use planner_core::model::TensorType;
use planner_core::quant::Quant;
use waterline_tests::build::{f32_type, i8_type, name, q, shape};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::arithmetic::{COMPARISONS, partners, prelu, quotient, reals, squared_difference};

const CASES: u64 = 200;

/// A shape of a result, and shapes of `N` arguments that broadcast to it together.
fn shapes<const N: usize>(random: &mut Random) -> (Vec<usize>, [Vec<usize>; N]) {
    let rank = random.size(0, 5);
    let result: Vec<usize> = (0..rank).map(|_| random.size(1, 4)).collect();
    let whole = random.size(0, N - 1);
    let args = std::array::from_fn(|arg| {
        if arg == whole {
            return result.clone();
        }
        let own = &result[random.size(0, rank)..];
        own.iter().map(|&size| if random.one_in(3) { 1 } else { size }).collect()
    });
    (result, args)
}

fn quant(random: &mut Random) -> Quant {
    q(random.scale(0.002, 0.5), i32::try_from(random.int(-128, 127)).unwrap())
}

fn i32_type(dims: &[usize]) -> TensorType {
    TensorType::plain(DType::I32, shape(dims))
}

fn bool_type(dims: &[usize]) -> TensorType {
    TensorType::plain(DType::Bool, shape(dims))
}

fn count(dims: &[usize]) -> usize {
    dims.iter().product()
}

/// The elements of both arguments that meet, in the order of the result.
fn meeting<T: Copy>(result: &[usize], [a, b]: &[Vec<usize>; 2], [x, y]: [&[T]; 2]) -> Vec<[T; 2]> {
    partners(a, result).into_iter().zip(partners(b, result)).map(|(i, j)| [x[i], y[j]]).collect()
}

/// What `op` makes of `a` and `b`.
fn run<T: Pod, R: Pod>(op: &'static str, types: [TensorType; 2], [a, b]: [&[T]; 2], quant: Option<Quant>) -> Vec<R> {
    let [a_type, b_type] = types;
    let args = [Arg::input(a_type, a), Arg::input(b_type, b)];
    Application { op, args: &args, attrs: &[], quant }.result()
}

#[test]
fn i8_arithmetic_equals_its_definition_to_the_bit() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (result, dims) = shapes::<2>(&mut random);
        let (qa, qb) = (quant(&mut random), quant(&mut random));
        let [a, b] = dims.each_ref().map(|dims| random.i8s(count(dims)));
        let largest = qa.scale(0).max(qb.scale(0));
        let zero = i32::try_from(random.int(-128, 127)).unwrap();
        let types = || [i8_type(&dims[0], qa.clone()), i8_type(&dims[1], qb.clone())];
        let check = |op, scale: f32, f: &dyn Fn(i8, i8, [&Quant; 3]) -> Option<i64>| {
            let qy = q(scale, zero);
            let got: Vec<i8> = run(op, types(), [&a, &b], Some(qy.clone()));
            for (got, [a, b]) in got.into_iter().zip(meeting(&result, &dims, [&a, &b])) {
                let Some(want) = f(a, b, [&qa, &qb, &qy]) else { continue };
                assert_eq!(i64::from(got), want.clamp(-128, 127), "{op}({a}, {b}), seed {seed}");
            }
        };
        let ratio = qa.scale(0) / qb.scale(0) * random.scale(0.02, 1.0);
        check("div", ratio, &quotient);
        let square = (largest * largest * 4.0 / 16_384.0 * 1.1).max(largest * largest * random.scale(0.01, 1.0));
        check("squared_difference", square, &|a, b, quants| Some(squared_difference(a, b, quants, 7)));
        if dims[0] == result {
            let slope = (qa.scale(0) * qb.scale(0)).max(qa.scale(0) / 1000.0) * random.scale(1.0, 300.0);
            check("prelu", slope, &|a, b, quants| Some(prelu(a, b, quants)));
        }
    }
}

#[test]
fn a_divisor_of_zero_is_no_error() {
    let types = || [i8_type(&[3], q(0.5, 0)), i8_type(&[3], q(0.5, 7))];
    let got: Vec<i8> = run("div", types(), [&[5i8, -5, 0], &[7i8, 7, 7]], Some(q(0.5, 3)));
    assert_eq!(got, [127, -128, 3]);
    let got: Vec<i32> = run("div", [i32_type(&[2]), i32_type(&[2])], [&[5, i32::MIN], &[0, -1]], None);
    assert_eq!(got, [0, i32::MIN]);
    for op in ["floor_div", "floor_mod"] {
        assert_eq!(run::<i32, i32>(op, [i32_type(&[1]), i32_type(&[1])], [&[5], &[0]], None), [0], "{op}");
    }
}

#[test]
fn f32_arithmetic_is_close_to_the_real_one() {
    let functions: [(&str, fn(f64, f64) -> f64); 6] = [
        ("div", |a, b| a / b),
        ("floor_div", |a, b| (a / b).floor()),
        ("floor_mod", |a, b| a - b * (a / b).floor()),
        ("pow", |a, b| a.abs().powf(b)),
        ("prelu", |a, b| if a >= 0.0 { a } else { a * b }),
        ("squared_difference", |a, b| (a - b) * (a - b)),
    ];
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (result, dims) = shapes::<2>(&mut random);
        for (op, f) in functions {
            if op == "prelu" && dims[0] != result {
                continue;
            }
            let [mut a, b] = dims.each_ref().map(|dims| {
                let mut one = || random.f32(0.2, 5.0) * random.pick(&[-1.0, 1.0]);
                (0..count(dims)).map(|_| one()).collect::<Vec<f32>>()
            });
            if op == "pow" {
                a.iter_mut().for_each(|a| *a = a.abs());
            }
            let types = [f32_type(&dims[0]), f32_type(&dims[1])];
            let got: Vec<f32> = run(op, types, [&a, &b], None);
            for (got, [a, b]) in got.into_iter().zip(meeting(&result, &dims, [&a, &b])) {
                let want = f(a.into(), b.into());
                assert!(
                    (f64::from(got) - want).abs() <= 1e-5 * (1.0 + want.abs()),
                    "{op}({a}, {b}) = {got}, not {want}"
                );
            }
        }
    }
}

#[test]
fn i32_arithmetic_is_exact() {
    let functions: [(&str, fn(i64, i64) -> i64); 5] = [
        ("pow", |a, b| u32::try_from(b).map_or(0, |b| i64::from(i32::try_from(a).unwrap().wrapping_pow(b)))),
        ("div", |a, b| a / b),
        ("floor_div", |a, b| a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0)),
        ("floor_mod", |a, b| ((a % b) + b) % b),
        ("squared_difference", |a, b| (a - b) * (a - b)),
    ];
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (result, dims) = shapes::<2>(&mut random);
        let [a, b] = dims.each_ref().map(|dims| {
            let mut one = || i32::try_from(random.int(1, 60) * random.pick(&[-1, 1])).unwrap();
            (0..count(dims)).map(|_| one()).collect::<Vec<i32>>()
        });
        for (op, f) in functions {
            let types = [i32_type(&dims[0]), i32_type(&dims[1])];
            let got: Vec<i32> = run(op, types, [&a, &b], None);
            let want = meeting(&result, &dims, [&a, &b]).into_iter().map(|[a, b]| f(a.into(), b.into()));
            assert!(got.iter().map(|got| i64::from(*got)).eq(want), "{op}, seed {seed}");
        }
    }
}

#[test]
fn small_integers_are_divided_whatever_they_stand_for() {
    let [a, b] = [[-128i8, -100, 77, 5, 0, -1], [-1i8, 7, -7, 127, 3, 0]];
    let wide = |list: [i8; 6]| list.map(|v| i16::from(v) * 250);
    for (op, want, want_wide) in [
        ("floor_div", [-128i8, -15, -11, 0, 0, 0], [128i16, -15, -11, 0, 0, 0]),
        ("floor_mod", [0, 5, 0, 5, 0, 0], [0, 1250, 0, 1250, 0, 0]),
    ] {
        let types = || [i8_type(&[6], q(0.5, 3)), i8_type(&[6], q(0.25, 7))];
        assert_eq!(run::<i8, i8>(op, types(), [&a, &b], Some(q(0.1, 9))), want, "{op}");
        let plain = || [0; 2].map(|_| TensorType::plain(DType::I16, shape(&[6])));
        assert_eq!(run::<i16, i16>(op, plain(), [&wide(a), &wide(b)], None), want_wide, "{op}");
    }
}

#[test]
fn comparisons_are_right() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (result, dims) = shapes::<2>(&mut random);
        let small = dims.each_ref().map(|dims| (0..count(dims)).map(|_| random.int(-2, 2)).collect::<Vec<i64>>());
        let [a, b] = dims.each_ref().map(|dims| random.i8s(count(dims)));
        let qa = quant(&mut random);
        let qb = if random.one_in(2) { qa.clone() } else { quant(&mut random) };
        for (op, f) in COMPARISONS {
            let want: Vec<u8> =
                meeting(&result, &dims, [&small[0], &small[1]]).iter().map(|[a, b]| f(a, b).into()).collect();
            let [x, y] =
                small.each_ref().map(|list| list.iter().map(|v| i32::try_from(*v).unwrap()).collect::<Vec<_>>());
            let types = [i32_type(&dims[0]), i32_type(&dims[1])];
            assert_eq!(run::<i32, u8>(op, types, [&x, &y], None), want, "{op} of i32, seed {seed}");
            #[allow(clippy::cast_precision_loss, reason = "small integers")]
            let [x, y] = [x, y].map(|list| list.iter().map(|v| *v as f32).collect::<Vec<f32>>());
            let types = [f32_type(&dims[0]), f32_type(&dims[1])];
            assert_eq!(run::<f32, u8>(op, types, [&x, &y], None), want, "{op} of f32, seed {seed}");

            let types = [i8_type(&dims[0], qa.clone()), i8_type(&dims[1], qb.clone())];
            let want = meeting(&result, &dims, [&a, &b]).into_iter().map(|[a, b]| {
                let [a, b] = reals(a, b, [&qa, &qb]);
                u8::from(f(&a, &b))
            });
            assert_eq!(run::<i8, u8>(op, types, [&a, &b], None), want.collect::<Vec<_>>(), "{op} of i8, seed {seed}");
        }
    }
}

#[test]
fn truths_combine() {
    let functions: [(&str, fn(bool, bool) -> bool); 4] = [
        ("logical_and", |a, b| a && b),
        ("logical_or", |a, b| a || b),
        ("equal", |a, b| a == b),
        ("not_equal", |a, b| a != b),
    ];
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (result, dims) = shapes::<2>(&mut random);
        let [a, b] =
            dims.each_ref().map(|dims| (0..count(dims)).map(|_| u8::from(random.one_in(2))).collect::<Vec<_>>());
        for (op, f) in functions {
            let types = [bool_type(&dims[0]), bool_type(&dims[1])];
            let want = meeting(&result, &dims, [&a, &b]).into_iter().map(|[a, b]| u8::from(f(a != 0, b != 0)));
            assert_eq!(run::<u8, u8>(op, types, [&a, &b], None), want.collect::<Vec<_>>(), "{op}, seed {seed}");
        }
        let args = [Arg::input(bool_type(&dims[0]), &a)];
        let got: Vec<u8> = Application { op: "logical_not", args: &args, attrs: &[], quant: None }.result();
        assert_eq!(got, a.iter().map(|a| 1 - a).collect::<Vec<u8>>());
    }
}

#[test]
fn select_chooses() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let (result, dims) = shapes::<3>(&mut random);
        let condition: Vec<u8> = (0..count(&dims[0])).map(|_| u8::from(random.one_in(2))).collect();
        let [a, b] = [&dims[1], &dims[2]].map(|dims| random.i8s(count(dims)));
        let wide = |list: &[i8]| list.iter().map(|v| i32::from(*v)).collect::<Vec<i32>>();
        let [c, i, j] = [0, 1, 2].map(|arg| partners(&dims[arg], &result));
        let want: Vec<i8> =
            (0..count(&result)).map(|at| if condition[c[at]] != 0 { a[i[at]] } else { b[j[at]] }).collect();
        let quant = quant(&mut random);
        let ty = |arg: usize| i8_type(&dims[arg], quant.clone());
        let args = [Arg::input(bool_type(&dims[0]), &condition), Arg::input(ty(1), &a), Arg::input(ty(2), &b)];
        let application = Application { op: "select", args: &args, attrs: &[], quant: None };
        assert_eq!(application.result::<i8>(), want, "seed {seed}");
        let args = [
            Arg::input(bool_type(&dims[0]), &condition),
            Arg::input(i32_type(&dims[1]), &wide(&a)),
            Arg::input(i32_type(&dims[2]), &wide(&b)),
        ];
        let application = Application { op: "select", args: &args, attrs: &[], quant: None };
        assert_eq!(application.result::<i32>(), wide(&want), "seed {seed}");
    }
}

#[test]
fn casts_are_those_of_c() {
    let cast = |ty: TensorType, bytes: &[u8], to: &'static str| {
        let attrs = [("to", name(to))];
        let args = [Arg::Input(ty, bytes.to_vec())];
        Application { op: "cast", args: &args, attrs: &attrs, quant: None }.run().remove(0)
    };
    let plain = |dtype| TensorType::plain(dtype, shape(&[4]));
    let floats: [f32; 4] = [-1.9, 2.9, 3e9, f32::NAN];
    let from_f32 = |to| cast(plain(DType::F32), bytemuck::cast_slice(&floats), to);
    assert_eq!(from_f32("i32"), bytemuck::cast_slice::<i32, u8>(&[-1, 2, i32::MAX, 0]));
    assert_eq!(from_f32("i8"), bytemuck::cast_slice::<i8, u8>(&[-1, 2, 127, 0]));
    assert_eq!(from_f32("bool"), [1, 1, 1, 1]);
    let ints = [-2i32, 0, 300, i32::MAX];
    let from_i32 = |to| cast(plain(DType::I32), bytemuck::cast_slice(&ints), to);
    assert_eq!(from_i32("u8"), [254, 0, 44, 255]);
    assert_eq!(from_i32("i16"), bytemuck::cast_slice::<i16, u8>(&[-2, 0, 300, -1]));
    assert_eq!(from_i32("bool"), [1, 0, 1, 1]);
    assert_eq!(from_i32("f32"), bytemuck::cast_slice::<f32, u8>(&[-2.0, 0.0, 300.0, 2_147_483_648.0]));
    assert_eq!(from_i32("i32"), bytemuck::cast_slice::<i32, u8>(&ints));
    assert_eq!(
        cast(plain(DType::I8), &[255, 2, 128, 127], "f32"),
        bytemuck::cast_slice::<f32, u8>(&[-1.0, 2.0, -128.0, 127.0])
    );
    assert_eq!(cast(plain(DType::Bool), &[1, 0, 1, 1], "i32"), bytemuck::cast_slice::<i32, u8>(&[1, 0, 1, 1]));
}

#[test]
fn errors_say_what_would_fit() {
    let error = |op, types: &[TensorType], quant| {
        let args: Vec<Arg> = types.iter().map(|ty| Arg::Input(ty.clone(), Vec::new())).collect();
        Application { op, args: &args, attrs: &[], quant }.error()
    };
    let (f, i) = (f32_type(&[2]), i32_type(&[2]));
    assert!(error("less", &[f.clone(), i.clone()], None).contains("`b` cannot be i32"));
    assert!(error("logical_and", &[f.clone(), f.clone()], None).contains("wanted: bool"));
    assert!(error("select", &[f.clone(), f.clone(), f.clone()], None).contains("`condition` cannot be f32"));
    let text = error("select", &[bool_type(&[3]), f.clone(), f.clone()], None);
    assert!(text.contains("got: [3], [2] and [2]"), "{text}");
    assert!(error("prelu", &[f.clone(), f32_type(&[3, 2])], None).contains("`alpha` is larger than `x`"));
    let i8s = [i8_type(&[2], q(0.5, 0)), i8_type(&[2], q(0.5, 0))];
    assert!(error("pow", &i8s, None).contains("`a` cannot be i8"));
    assert!(error("div", &i8s, Some(q(1e-9, 0))).contains("too small for those of the arguments"));
    assert!(error("squared_difference", &i8s, Some(q(1e-9, 0))).contains("too small for those of the arguments"));
    let args = [Arg::Input(i8_type(&[2], q(0.5, 0)), Vec::new())];
    let attrs = [("to", name("u8"))];
    let text = Application { op: "cast", args: &args, attrs: &attrs, quant: None }.error();
    assert!(text.contains("i8 does not become u8 at once") && text.contains("cast(to = i32)"), "{text}");
}

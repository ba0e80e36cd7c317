//! Pools, reductions over axes and products of matrices against their definitions.

use planner_core::emit::Init;
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;
use waterline_tests::build::{f32_type, flag, i8_type, ints, name, q};
use waterline_tests::layers::{ACTS, image, pool};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::activation::quantized;
use waterline_tests::reference::fixed_point::{multiplier, multiply};
use waterline_tests::reference::layer::bounds;
use waterline_tests::reference::reduce::{matmul, pool_mean, sum_or_mean, windows};

fn list(values: &[usize]) -> AttrValue {
    ints(&values.iter().map(|v| i64::try_from(*v).unwrap()).collect::<Vec<_>>())
}

fn any_quant(random: &mut Random) -> Quant {
    q(random.scale(0.005, 0.2), i32::try_from(random.int(-128, 127)).unwrap())
}

#[test]
fn pools_f32() {
    for round in 0..200 {
        let random = &mut Random::new(round);
        let (sliding, mut attrs) = pool(random);
        let (op, act) = (random.pick(&["max_pool2d", "avg_pool2d"]), random.pick(&ACTS));
        attrs.push(("act", name(act)));
        let x = random.f32s(image(&sliding).iter().product());
        let args = [Arg::input(f32_type(&image(&sliding)), &x)];
        let got: Vec<f32> = Application { op, args: &args, attrs: &attrs, quant: None }.result();
        let windows = sliding.pool();
        assert_eq!(got.len(), windows.len());
        for (got, window) in got.iter().zip(windows) {
            let elements: Vec<f64> = window.iter().map(|&i| f64::from(x[i])).collect();
            #[allow(clippy::cast_precision_loss)]
            let wanted = match op {
                "max_pool2d" => elements.iter().copied().fold(f64::MIN, f64::max),
                _ => elements.iter().sum::<f64>() / elements.len() as f64,
            };
            let [min, max] = bounds(act).map(f64::from);
            assert!((f64::from(*got) - wanted.clamp(min, max)).abs() < 1e-5, "{got} for {wanted}: {op} {attrs:?}");
        }
    }
}

#[test]
fn pools_i8() {
    for round in 0..300 {
        let random = &mut Random::new(1000 + round);
        let (sliding, mut attrs) = pool(random);
        let (op, act) = (random.pick(&["max_pool2d", "avg_pool2d"]), random.pick(&ACTS));
        attrs.push(("act", name(act)));
        let quant = any_quant(random);
        let x = random.i8s(image(&sliding).iter().product());
        let args = [Arg::input(i8_type(&image(&sliding), quant.clone()), &x)];
        let got: Vec<i8> = Application { op, args: &args, attrs: &attrs, quant: None }.result();
        let [min, max] = bounds(act).map(|bound| quantized(bound.clamp(-1e9, 1e9), &quant));
        let windows = sliding.pool();
        let wanted = windows.iter().map(|window| {
            let elements: Vec<i8> = window.iter().map(|&i| x[i]).collect();
            let y = match op {
                "max_pool2d" => i64::from(*elements.iter().max().unwrap()),
                _ => pool_mean(&elements),
            };
            i8::try_from(y.clamp(min, max)).unwrap()
        });
        assert_eq!(got, wanted.collect::<Vec<i8>>(), "{op} {attrs:?}");
    }
}

#[test]
fn a_pool_steps_by_its_window() {
    let args = [Arg::input(f32_type(&[1, 2, 4, 1]), &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])];
    let attrs = [("filter", list(&[2, 2]))];
    let got: Vec<f32> = Application { op: "max_pool2d", args: &args, attrs: &attrs, quant: None }.result();
    assert_eq!(got, [6.0, 8.0]);
}

/// A shape and some of its dimensions.
fn reduction(random: &mut Random) -> (Vec<usize>, Vec<usize>, Vec<(&'static str, AttrValue)>) {
    let dims: Vec<usize> = (0..random.size(1, 6)).map(|_| random.size(1, 4)).collect();
    let axes = loop {
        let axes: Vec<usize> = (0..dims.len()).filter(|_| random.one_in(2)).collect();
        if !axes.is_empty() {
            break axes;
        }
    };
    let attrs = vec![("axes", list(&axes)), ("keep_dims", flag(random.one_in(2)))];
    (dims, axes, attrs)
}

/// An image over its height and width, now and then.
fn global_avg_pool(random: &mut Random) -> (Vec<usize>, Vec<usize>, Vec<(&'static str, AttrValue)>) {
    let dims = (0..4).map(|_| random.size(1, 6)).collect();
    (dims, vec![1, 2], vec![("keep_dims", flag(random.one_in(2)))])
}

#[test]
fn reductions_f32() {
    for round in 0..300 {
        let random = &mut Random::new(2000 + round);
        let op = random.pick(&["sum", "mean", "max", "prod", "global_avg_pool"]);
        let (dims, axes, attrs) = if op == "global_avg_pool" { global_avg_pool(random) } else { reduction(random) };
        let x = random.f32s(dims.iter().product());
        let args = [Arg::input(f32_type(&dims), &x)];
        let got: Vec<f32> = Application { op, args: &args, attrs: &attrs, quant: None }.result();
        let windows = windows(&dims, &axes);
        assert_eq!(got.len(), windows.len());
        for (got, window) in got.iter().zip(windows) {
            let elements: Vec<f64> = window.iter().map(|&i| f64::from(x[i])).collect();
            #[allow(clippy::cast_precision_loss)]
            let wanted = match op {
                "max" => elements.iter().copied().fold(f64::MIN, f64::max),
                "sum" => elements.iter().sum(),
                "prod" => elements.iter().product(),
                _ => elements.iter().sum::<f64>() / elements.len() as f64,
            };
            let magnitudes = elements.iter().map(|x| x.abs());
            let magnitude: f64 = if op == "prod" { magnitudes.product() } else { magnitudes.sum() };
            assert!(
                (f64::from(*got) - wanted).abs() <= magnitude * 1e-5 + f64::from(f32::MIN_POSITIVE),
                "{got} for {wanted}: {op} {dims:?} {attrs:?}"
            );
        }
    }
}

#[test]
fn reductions_i8() {
    for round in 0..400 {
        let random = &mut Random::new(3000 + round);
        let op = random.pick(&["sum", "mean", "max", "global_avg_pool"]);
        let (dims, axes, attrs) = if op == "global_avg_pool" { global_avg_pool(random) } else { reduction(random) };
        let from = any_quant(random);
        let to = match op {
            "sum" => Some(q(from.scale(0) * random.scale(0.5, 200.0), any_quant(random).zero_point())),
            // Like the argument unless declared otherwise.
            "max" => None,
            _ => random.one_in(2).then(|| q(from.scale(0) * random.scale(0.2, 4.0), any_quant(random).zero_point())),
        };
        let x = random.i8s(dims.iter().product());
        let args = [Arg::input(i8_type(&dims, from.clone()), &x)];
        let got: Vec<i8> = Application { op, args: &args, attrs: &attrs, quant: to.clone() }.result();
        let to = to.unwrap_or(from.clone());
        let wanted = windows(&dims, &axes)
            .iter()
            .map(|window| {
                let elements: Vec<i8> = window.iter().map(|&i| x[i]).collect();
                if op == "max" {
                    *elements.iter().max().unwrap()
                } else {
                    sum_or_mean(&elements, &from, &to, op != "sum")
                }
            })
            .collect::<Vec<i8>>();
        assert_eq!(got, wanted, "{op} {dims:?} {attrs:?}");
    }
}

/// Two shapes that multiply, their batches broadcast now and then.
fn matrices(random: &mut Random) -> ([Vec<usize>; 2], [bool; 2]) {
    let [m, k, n] = [random.size(1, 6), random.size(1, 9), random.size(1, 6)];
    let batch: Vec<usize> = (0..random.size(0, 4)).map(|_| random.size(1, 3)).collect();
    let transposed = [random.one_in(2), random.one_in(2)];
    let shape = |random: &mut Random, matrix: [usize; 2], transposed: bool| {
        let skipped = if random.one_in(3) { random.size(0, batch.len()) } else { 0 };
        let one = |random: &mut Random, size: usize| if random.one_in(4) { 1 } else { size };
        let mut dims: Vec<usize> = batch[skipped..].iter().map(|&size| one(random, size)).collect();
        dims.extend(if transposed { [matrix[1], matrix[0]] } else { matrix });
        dims
    };
    ([shape(random, [m, k], transposed[0]), shape(random, [k, n], transposed[1])], transposed)
}

#[test]
fn matmul_f32() {
    for round in 0..200 {
        let random = &mut Random::new(4000 + round);
        let ([a_dims, b_dims], transposed) = matrices(random);
        let attrs = [("transpose_a", flag(transposed[0])), ("transpose_b", flag(transposed[1]))];
        let (a, b) = (random.f32s(a_dims.iter().product()), random.f32s(b_dims.iter().product()));
        // A constant second argument is a window as well.
        let second = if random.one_in(4) { Arg::param } else { Arg::input };
        let args = [Arg::input(f32_type(&a_dims), &a), second(f32_type(&b_dims), &b)];
        let got: Vec<f32> = Application { op: "matmul", args: &args, attrs: &attrs, quant: None }.result();
        let (_, products) = matmul(&a_dims, &b_dims, transposed);
        assert_eq!(got.len(), products.len(), "{a_dims:?} {b_dims:?} {attrs:?}");
        for (got, products) in got.iter().zip(products) {
            let wanted: f64 = products.iter().map(|&[i, j]| f64::from(a[i]) * f64::from(b[j])).sum();
            assert!((f64::from(*got) - wanted).abs() < 1e-5, "{got} for {wanted}: {a_dims:?} {b_dims:?} {attrs:?}");
        }
    }
}

#[test]
fn matmul_i8() {
    for round in 0..300 {
        let random = &mut Random::new(5000 + round);
        let ([a_dims, b_dims], transposed) = matrices(random);
        let attrs = [("transpose_a", flag(transposed[0])), ("transpose_b", flag(transposed[1]))];
        let (a, b) = (random.i8s(a_dims.iter().product()), random.i8s(b_dims.iter().product()));
        let (qa, qb) = (any_quant(random), any_quant(random));
        let product = qa.scale(0) * qb.scale(0);
        let qy = q(product * random.scale(0.5, 5000.0), any_quant(random).zero_point());
        let args = [Arg::input(i8_type(&a_dims, qa.clone()), &a), Arg::input(i8_type(&b_dims, qb.clone()), &b)];
        let got: Vec<i8> = Application { op: "matmul", args: &args, attrs: &attrs, quant: Some(qy.clone()) }.result();
        let factor = multiplier(f64::from(product) / f64::from(qy.scale(0)));
        let (_, products) = matmul(&a_dims, &b_dims, transposed);
        let real = |x: i8, quant: &Quant| i64::from(x) - i64::from(quant.zero_point());
        let wanted = products.iter().map(|products| {
            let sum = products.iter().map(|&[i, j]| real(a[i], &qa) * real(b[j], &qb)).sum();
            let y = multiply(sum, factor) + i64::from(qy.zero_point());
            i8::try_from(y.clamp(-128, 127)).unwrap()
        });
        assert_eq!(got, wanted.collect::<Vec<i8>>(), "{a_dims:?} {b_dims:?} {attrs:?}");
    }
}

#[test]
fn matmul_multiplies_scales_in_f32() {
    let random = &mut Random::new(5500);
    let mut told_apart = 0;
    for _ in 0..50 {
        let [qa, qb, qy] = [(); 3].map(|()| any_quant(random));
        let args = [&qa, &qb].map(|quant| Arg::input(i8_type(&[1, 1], quant.clone()), &[0i8]));
        let application = Application { op: "matmul", args: &args, attrs: &[], quant: Some(qy.clone()) };
        let (program, _) = application.lower().unwrap();
        let named = program.statics.iter().find(|item| item.name.ends_with("_multipliers")).unwrap();
        let Init::Bytes(got) = &named.init else { panic!("{:?}", named.init) };
        let factor = |product: f64| multiplier(product / f64::from(qy.scale(0))).0;
        let single = factor(f64::from(qa.scale(0) * qb.scale(0)));
        told_apart += usize::from(single != factor(f64::from(qa.scale(0)) * f64::from(qb.scale(0))));
        assert_eq!(i64::from(bytemuck::pod_read_unaligned::<i32>(got)), single);
    }
    assert!(told_apart > 20, "precisions differ in {told_apart} cases only");
}

#[test]
fn batch_norm_alone() {
    let random = &mut Random::new(6000);
    let (rows, channels) = (7, 5);
    let x = random.f32s(rows * channels);
    let [gamma, beta, mean] = [(); 3].map(|()| random.f32s(channels));
    let variance: Vec<f32> = random.f32s(channels).iter().map(|v| v.abs()).collect();
    let mut args = vec![Arg::input(f32_type(&[rows, channels]), &x)];
    args.extend([&gamma, &beta, &mean, &variance].map(|list| Arg::param(f32_type(&[channels]), list)));
    let got: Vec<f32> = Application { op: "batch_norm", args: &args, attrs: &[], quant: None }.result();
    for (i, got) in got.iter().enumerate() {
        let of = |list: &[f32]| f64::from(list[i % channels]);
        let normal = (f64::from(x[i]) - of(&mean)) / (of(&variance) + 1e-3).sqrt();
        let wanted = normal * of(&gamma) + of(&beta);
        assert!((f64::from(*got) - wanted).abs() < 1e-5 * (1.0 + normal.abs()), "{got} for {wanted}");
    }
}

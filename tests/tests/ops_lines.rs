//! Along one dimension: running sums, places of extremes, parts by indices; and minima.

use planner_core::dtype::DType;
use planner_core::model::TensorType;
use planner_core::quant::Quant;
use planner_core::steps::Sharing;
use waterline_tests::build::{f32_type, flag, i8_type, int, ints, q, shape};
use waterline_tests::integers::bytes;
use waterline_tests::numbers::{Numbers, signed};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::fixed_point::{multiplier, multiply};
use waterline_tests::reference::movement::{index, positions};
use waterline_tests::reference::reduce::windows;

const CASES: u64 = 200;

fn dims(random: &mut Random) -> Vec<usize> {
    (0..random.size(1, 4)).map(|_| random.size(1, 5)).collect()
}

/// The elements of each line of a tensor along `axis`, in order, and the lines in order of the rest.
fn lines(dims: &[usize], axis: usize) -> Vec<Vec<usize>> {
    windows(dims, &[axis])
}

#[test]
fn running_sums_are_right() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let dims = dims(&mut random);
        let axis = random.size(0, dims.len() - 1);
        let (exclusive, reverse) = (random.one_in(2), random.one_in(2));
        let attrs =
            [("axis", int(i64::try_from(axis).unwrap())), ("exclusive", flag(exclusive)), ("reverse", flag(reverse))];
        let run = |args: &[Arg], quant: Option<Quant>| {
            Application { op: "cumsum", args, attrs: &attrs, quant }.run().remove(0)
        };
        let count = dims.iter().product();
        let sums = |x: &[i64], first: i64| {
            let mut sums = vec![0; count];
            for mut line in lines(&dims, axis) {
                if reverse {
                    line.reverse();
                }
                let mut sum = first;
                for i in line {
                    sums[i] = if exclusive { sum } else { sum + x[i] };
                    sum += x[i];
                }
            }
            sums
        };
        let x: Vec<i64> = (0..count).map(|_| random.int(-99, 99)).collect();
        let narrow: Vec<i32> = x.iter().map(|v| i32::try_from(*v).unwrap()).collect();
        let want: Vec<i32> = sums(&x, 0).into_iter().map(|v| i32::try_from(v).unwrap()).collect();
        let ty = TensorType::plain(DType::I32, shape(&dims));
        assert_eq!(run(&[Arg::input(ty, &narrow)], None), bytemuck::cast_slice::<i32, u8>(&want), "i32, seed {seed}");
        #[allow(clippy::cast_precision_loss, reason = "small integers")]
        let real = |list: &[i32]| list.iter().map(|v| *v as f32).collect::<Vec<f32>>();
        let got = run(&[Arg::input(f32_type(&dims), &real(&narrow))], None);
        assert_eq!(got, bytemuck::cast_slice::<f32, u8>(&real(&want)), "f32, seed {seed}");

        let from = q(random.scale(0.002, 0.5), i32::try_from(random.int(-128, 127)).unwrap());
        let to = q(from.scale(0) * random.scale(0.5, 9.0), i32::try_from(random.int(-128, 127)).unwrap());
        let x = random.i8s(count);
        let scaled = |x: i64| multiply((x - i64::from(from.zero_point())) << 20, multiplier(0.5));
        let terms: Vec<i64> = x.iter().map(|x| scaled((*x).into())).collect();
        let factor = multiplier(2.0 * f64::from(from.scale(0)) / (f64::from(1 << 20) * f64::from(to.scale(0))));
        // The reference starts from what an integer of 0 stands for.
        let sums = sums(&terms, scaled(0));
        let want = sums.into_iter().map(|sum| (multiply(sum, factor) + i64::from(to.zero_point())).clamp(-128, 127));
        let want: Vec<u8> = want.map(|v| i8::try_from(v).unwrap().cast_unsigned()).collect();
        assert_eq!(run(&[Arg::input(i8_type(&dims, from), &x)], Some(to)), want, "i8, seed {seed}");
    }
}

#[test]
fn the_first_of_the_extremes_is_found() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let dims = dims(&mut random);
        let axis = random.size(0, dims.len() - 1);
        let keep = random.one_in(2);
        let attrs = [("axis", int(i64::try_from(axis).unwrap())), ("keep_dims", flag(keep))];
        let x: Vec<i8> =
            (0..dims.iter().product::<usize>()).map(|_| i8::try_from(random.int(-3, 3)).unwrap()).collect();
        let i32s: Vec<i32> = x.iter().map(|v| i32::from(*v)).collect();
        let f32s: Vec<f32> = x.iter().map(|v| f32::from(*v)).collect();
        for (op, sign) in [("arg_max", 1), ("arg_min", -1)] {
            let best = |line: Vec<usize>| {
                let values: Vec<i32> = line.iter().map(|&i| sign * i32s[i]).collect();
                let max = values.iter().max().unwrap();
                i32::try_from(values.iter().position(|v| v == max).unwrap()).unwrap()
            };
            let want: Vec<i32> = lines(&dims, axis).into_iter().map(best).collect();
            let run = |arg| Application { op, args: &[arg], attrs: &attrs, quant: None }.result::<i32>();
            assert_eq!(run(Arg::input(i8_type(&dims, q(0.5, 3)), &x)), want, "{op} of i8, seed {seed}");
            assert_eq!(run(Arg::input(f32_type(&dims), &f32s)), want, "{op} of f32, seed {seed}");
            let wide: Vec<i64> = i32s.iter().map(|v| i64::from(*v)).collect();
            for (dtype, moved) in [(DType::I32, 0), (DType::I16, 0), (DType::U8, 40)] {
                let numbers: Vec<i64> = wide.iter().map(|v| v + moved).collect();
                let ty = TensorType::plain(dtype, shape(&dims));
                assert_eq!(run(Arg::Input(ty, bytes(dtype, &numbers))), want, "{op} of {dtype}, seed {seed}");
            }
        }
    }
}

#[test]
fn minima_are_the_least() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let dims = dims(&mut random);
        let axes: Vec<usize> = (0..dims.len()).filter(|axis| *axis == 0 || random.one_in(2)).collect();
        let x = random.i8s(dims.iter().product());
        let attrs = [("axes", ints(&signed(&axes)))];
        let want: Vec<i8> = windows(&dims, &axes).iter().map(|w| w.iter().map(|&i| x[i]).min().unwrap()).collect();
        let run = |arg| Application { op: "min", args: &[arg], attrs: &attrs, quant: None }.run().remove(0);
        let got = run(Arg::input(i8_type(&dims, q(0.5, 3)), &x));
        assert_eq!(got, bytemuck::cast_slice::<i8, u8>(&want), "i8, seed {seed}");
        let f32s: Vec<f32> = x.iter().map(|v| f32::from(*v)).collect();
        let want: Vec<f32> = want.iter().map(|v| f32::from(*v)).collect();
        let got = run(Arg::input(f32_type(&dims), &f32s));
        assert_eq!(got, bytemuck::cast_slice::<f32, u8>(&want), "f32, seed {seed}");
    }
}

fn i32s(values: &[usize]) -> Vec<i32> {
    values.iter().map(|&v| i32::try_from(v).unwrap()).collect()
}

fn indices_type(dims: &[usize]) -> TensorType {
    TensorType::plain(DType::I32, shape(dims))
}

#[test]
fn gather_takes_parts() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [1, 4], 4);
        let axis = random.size(0, x.dims.len() - 1);
        let batch = random.size(0, axis);
        let own: Vec<usize> = (0..random.size(0, 2)).map(|_| random.size(1, 3)).collect();
        let id_dims = [&x.dims[..batch], &own].concat();
        let known = random.one_in(3);
        // An index outside is only possible at run time.
        let most = if known { x.dims[axis] - 1 } else { x.dims[axis] };
        let ids: Vec<usize> = (0..id_dims.iter().product()).map(|_| random.size(0, most)).collect();
        let result = [&x.dims[..axis], &own, &x.dims[axis + 1..]].concat();
        let want: Vec<i32> = positions(&result)
            .iter()
            .map(|at| {
                let coords = &at[axis..axis + own.len()];
                let id = index(&id_dims, &signed(&[&at[..batch], coords].concat())).unwrap();
                let source = [&at[..axis], &[ids[id]], &at[axis + own.len()..]].concat();
                index(&x.dims, &signed(&source)).map_or(x.zero(), |i| x.values[i])
            })
            .collect();
        let ids = i32s(&ids);
        let ids =
            if known { Arg::param(indices_type(&id_dims), &ids) } else { Arg::input(indices_type(&id_dims), &ids) };
        let args = [x.arg(&mut random), ids];
        let attrs = [("axis", int(i64::try_from(axis).unwrap())), ("batch_dims", int(i64::try_from(batch).unwrap()))];
        let got = Application { op: "gather", args: &args, attrs: &attrs, quant: None }.run();
        assert_eq!(got, [x.bytes(&want)], "seed {seed}");
    }
}

#[test]
fn indices_that_lie_evenly_are_a_slice() {
    let views = |ids: &[i32], axis| {
        let args = [Arg::Input(f32_type(&[4, 3]), Vec::new()), Arg::param(indices_type(&[ids.len()]), ids)];
        let attrs = [("axis", int(axis))];
        let (program, _) = Application { op: "gather", args: &args, attrs: &attrs, quant: None }.lower().unwrap();
        let step = &program.steps[0];
        (step.calls[0].kernel, step.sharing.iter().filter(|rule| matches!(rule, Sharing::View { .. })).count())
    };
    assert_eq!(views(&[1, 2], 0), ("copy_4", 1));
    assert_eq!(views(&[3], 0), ("copy_4", 1));
    assert_eq!(views(&[2, 1, 0], 1), ("copy_4", 0));
    assert_eq!(views(&[0, 2, 1], 1), ("gather_4", 0));
}

#[test]
fn gather_nd_takes_parts() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [1, 4], 4);
        let depth = random.size(1, x.dims.len());
        let outer: Vec<usize> = (0..random.size(0, 2)).map(|_| random.size(1, 3)).collect();
        let count: usize = outer.iter().product();
        // One in each dimension may be outside.
        let ids: Vec<usize> = (0..count * depth).map(|i| random.size(0, x.dims[i % depth])).collect();
        let result = [&outer, &x.dims[depth..]].concat();
        let want: Vec<i32> = positions(&result)
            .iter()
            .map(|at| {
                let part = index(&outer, &signed(&at[..outer.len()])).unwrap();
                let source = [&ids[part * depth..(part + 1) * depth], &at[outer.len()..]].concat();
                index(&x.dims, &signed(&source)).map_or(x.zero(), |i| x.values[i])
            })
            .collect();
        let id_dims = [outer.as_slice(), &[depth]].concat();
        let args = [x.arg(&mut random), Arg::input(indices_type(&id_dims), &i32s(&ids))];
        let got = Application { op: "gather_nd", args: &args, attrs: &[], quant: None }.run();
        assert_eq!(got, [x.bytes(&want)], "seed {seed}");
    }
}

#[test]
fn errors_say_what_would_fit() {
    let x = Arg::Input(f32_type(&[2, 3]), Vec::new());
    let error = |op, args: &[Arg], attrs: &[_]| Application { op, args, attrs, quant: None }.error();
    let known = |ids: &[i32]| Arg::param(indices_type(&[ids.len()]), ids);
    assert!(error("gather", &[x.clone(), known(&[0, 2])], &[]).contains("index 2 is outside dimension 0"));
    assert!(error("gather", &[x.clone(), known(&[-1])], &[]).contains("index -1 is outside dimension 0"));
    assert!(error("gather", &[x.clone(), x.clone()], &[]).contains("`indices` cannot be f32"));
    let text = error("gather", &[x.clone(), known(&[0])], &[("batch_dims", int(1))]);
    assert!(text.contains("there are no 1 outer dimensions that both have"), "{text}");
    let deep = Arg::Input(indices_type(&[1, 3]), Vec::new());
    assert!(error("gather_nd", &[x.clone(), deep], &[]).contains("`indices` count more dimensions than `x` has"));
    assert!(error("cumsum", &[x.clone()], &[("axis", int(2))]).contains("axis 2 is out of range"));
    assert!(error("arg_max", &[Arg::Input(f32_type(&[]), Vec::new())], &[]).contains("axis -1 is out of range"));
}

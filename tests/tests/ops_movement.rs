//! Operators that move elements, against what they mean.

use planner_core::dtype::DType;
use planner_core::model::TensorType;
use planner_core::ops::AttrValue;
use planner_core::steps::Sharing;
use waterline_tests::build::{f32_type, flag, float, i8_type, int, ints, q, shape};
use waterline_tests::numbers::{Numbers, signed};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::movement::gather;

const CASES: u64 = 250;

#[test]
fn shapes_change_and_elements_stay() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [1, 5], 4);
        let rank = i64::try_from(x.dims.len()).unwrap();
        let all = [x.values.clone()];
        x.check(&mut random, "reshape", &[("shape", ints(&[-1]))], &all);
        let (from, axis) = (random.int(-rank, rank - 1), random.int(-rank - 1, rank));
        x.check(&mut random, "flatten", &[("from", int(from))], &all);
        x.check(&mut random, "expand_dims", &[("axis", int(axis))], &all);
        x.check(&mut random, "squeeze", &[], &all);
    }
}

#[test]
fn new_shapes_are_right() {
    let dims = |op, dims: &[usize], attrs: &[(&'static str, AttrValue)]| {
        let args = [Arg::Input(f32_type(dims), Vec::new())];
        let (program, _) = Application { op, args: &args, attrs, quant: None }.lower().unwrap();
        program.tensor(program.outputs[0].tensor).ty.shape.to_vec()
    };
    assert_eq!(dims("reshape", &[2, 6], &[("shape", ints(&[3, -1, 1]))]), [3, 4, 1]);
    assert_eq!(dims("flatten", &[2, 3, 4], &[]), [2, 12]);
    assert_eq!(dims("flatten", &[2, 3, 4], &[("from", int(-2))]), [2, 12]);
    assert_eq!(dims("flatten", &[2, 3, 4], &[("from", int(0))]), [24]);
    assert_eq!(dims("squeeze", &[1, 3, 1], &[]), [3]);
    assert_eq!(dims("squeeze", &[1, 3, 1], &[("axes", int(-1))]), [1, 3]);
    assert_eq!(dims("expand_dims", &[2, 3], &[("axis", int(-1))]), [2, 3, 1]);
    assert_eq!(dims("expand_dims", &[2, 3], &[("axis", int(1))]), [2, 1, 3]);
}

#[test]
fn transpose_permutes() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [1, 6], 4);
        let mut perm: Vec<usize> = (0..x.dims.len()).collect();
        for last in (1..perm.len()).rev() {
            perm.swap(last, random.size(0, last));
        }
        let result: Vec<usize> = perm.iter().map(|&axis| x.dims[axis]).collect();
        let want = gather(&x.values, &x.dims, &result, 0, |at| {
            let mut source = vec![0; at.len()];
            perm.iter().zip(signed(at)).for_each(|(&axis, index)| source[axis] = index);
            source
        });
        x.check(&mut random, "transpose", &[("perm", ints(&signed(&perm)))], &[want]);
    }
}

#[test]
fn slice_cuts() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [0, 5], 5);
        let mut list = |f: &mut dyn FnMut(&mut Random, usize) -> usize| -> Vec<usize> {
            (0..x.dims.len()).map(|axis| f(&mut random, axis)).collect()
        };
        let begin = list(&mut |random, axis| if random.one_in(2) { 0 } else { random.size(0, x.dims[axis] - 1) });
        let stride = list(&mut |random, _| if random.one_in(2) { 1 } else { random.size(1, 3) });
        let fits = list(&mut |_, axis| (x.dims[axis] - begin[axis]).div_ceil(stride[axis]));
        let result = list(&mut |random, axis| if random.one_in(2) { fits[axis] } else { random.size(1, fits[axis]) });
        let want = gather(&x.values, &x.dims, &result, 0, |at| {
            signed(&at.iter().zip(&begin).zip(&stride).map(|((i, b), s)| b + i * s).collect::<Vec<_>>())
        });
        let mut size = signed(&result);
        for (axis, size) in size.iter_mut().enumerate() {
            *size = if result[axis] == fits[axis] { -1 } else { *size };
        }
        let mut attrs = vec![("begin", ints(&signed(&begin))), ("size", ints(&size))];
        if stride.iter().any(|s| *s > 1) {
            attrs.push(("stride", ints(&signed(&stride))));
        }
        x.check(&mut random, "slice", &attrs, &[want]);
    }
}

#[test]
fn split_cuts_into_parts_and_concat_joins_them() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [1, 5], 5);
        let axis = random.size(0, x.dims.len() - 1);
        let length = x.dims[axis];
        let mut sizes = Vec::new();
        while sizes.iter().sum::<usize>() < length {
            sizes.push(random.size(1, length - sizes.iter().sum::<usize>()));
        }
        let equal = sizes.iter().all(|size| *size == sizes[0]);
        let count = i64::try_from(sizes.len()).unwrap();
        let parts = if equal { int(count) } else { ints(&signed(&sizes)) };
        let mut start = 0;
        let want: Vec<Vec<i32>> = sizes
            .iter()
            .map(|&size| {
                let mut result = x.dims.clone();
                result[axis] = size;
                let part = gather(&x.values, &x.dims, &result, 0, |at| {
                    let mut source = signed(at);
                    source[axis] += i64::try_from(start).unwrap();
                    source
                });
                start += size;
                part
            })
            .collect();
        let axis_attr = ("axis", int(i64::try_from(axis).unwrap()));
        x.check(&mut random, "split", &[("parts", parts), axis_attr.clone()], &want);

        let args: Vec<Arg> = sizes
            .iter()
            .zip(&want)
            .map(|(&size, values)| {
                let mut part = Numbers { dims: x.dims.clone(), values: values.clone(), dtype: x.dtype };
                part.dims[axis] = size;
                part.arg(&mut random)
            })
            .collect();
        let joined = Application { op: "concat", args: &args, attrs: &[axis_attr], quant: None }.run();
        assert_eq!(joined, [x.bytes(&x.values)], "seed {seed}");
    }
}

#[test]
fn concat_takes_a_part_twice() {
    let (x, y) = (Arg::input(f32_type(&[2]), &[1.0f32, 2.0]), Arg::input(f32_type(&[1]), &[3.0f32]));
    let args = [x, y, Arg::Again(0)];
    let application = Application { op: "concat", args: &args, attrs: &[("axis", int(0))], quant: None };
    assert_eq!(application.result::<f32>().as_slice(), [1.0, 2.0, 3.0, 1.0, 2.0]);
    let (program, _) = application.lower().unwrap();
    let offset = |rule: &Sharing| match rule {
        Sharing::Into { offset, .. } => *offset,
        other => panic!("{other:?}"),
    };
    assert_eq!(program.steps[0].sharing.iter().map(offset).collect::<Vec<_>>(), [0, 8, 12]);
}

#[test]
fn concat_requantises_parts_of_another_scale() {
    let parts = [(q(0.5, 0), [4i8, -128]), (q(0.25, 10), [-100, 127])];
    let args = parts.map(|(quant, values)| Arg::input(i8_type(&[2, 1], quant), &values));
    let attrs = [("axis", int(1))];
    let mixed = Application { op: "concat", args: &args, attrs: &attrs, quant: None };
    assert!(mixed.error().contains("write `out = i8 q(scale, zero_point)`"));
    let got: Vec<i8> = Application { quant: Some(q(0.5, 0)), ..mixed }.result();
    assert_eq!(got, [4, -55, -128, 59], "(127 - 10) / 2 = 58.5 rounds away from zero");
}

#[test]
fn pad_surrounds() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [1, 6], 3);
        let sides: Vec<[usize; 2]> = (0..x.dims.len())
            .map(|_| if random.one_in(2) { [0, 0] } else { [random.size(0, 2), random.size(0, 2)] })
            .collect();
        let result: Vec<usize> = x.dims.iter().zip(&sides).map(|(size, [b, a])| b + size + a).collect();
        let value = if x.dtype == DType::Bool { 1u8 } else { 7 };
        let fill = if x.dtype.range().is_some() { 14 + x.zero() } else { value.into() };
        let want = gather(&x.values, &x.dims, &result, fill, |at| {
            signed(at).iter().zip(&sides).map(|(i, [before, _])| i - i64::try_from(*before).unwrap()).collect()
        });
        let paddings = ints(&signed(sides.as_flattened()));
        x.check(&mut random, "pad", &[("paddings", paddings), ("value", float(value.into()))], &[want]);
    }
}

#[test]
fn pad_of_i8_is_real_zero_by_default() {
    let args = [Arg::input(i8_type(&[1], q(0.5, -3)), &[9i8])];
    let attrs = [("paddings", ints(&[1, 1]))];
    assert_eq!(Application { op: "pad", args: &args, attrs: &attrs, quant: None }.result::<i8>(), [-3, 9, -3]);
}

#[test]
fn pad_takes_what_the_elements_can_be() {
    let error = |ty: TensorType, value| {
        let attrs = [("paddings", ints(&[1, 1])), ("value", float(value))];
        let lowered =
            Application { op: "pad", args: &[Arg::Input(ty, Vec::new())], attrs: &attrs, quant: None }.lower();
        lowered.err().map_or(String::new(), |found| found.to_string())
    };
    let plain = |dtype| TensorType::plain(dtype, shape(&[1]));
    assert_eq!(error(i8_type(&[1], q(0.5, -3)), 65.0), "");
    assert!(error(i8_type(&[1], q(0.5, -3)), 66.0).contains("wanted: a number in -62.5..=65"));
    assert!(error(plain(DType::I8), 128.0).contains("wanted: an integer in -128..=127"));
    assert!(
        error(plain(DType::I32), 0.5).contains("0.5 is no element of this tensor\n  got: i32[1]\n  wanted: an integer")
    );
    assert_eq!(error(plain(DType::I32), -300.0), "");
}

#[test]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "f32 as TFLite")]
fn resize_takes_the_nearest_pixel() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let dims = [1, 12, 12, 3].map(|most| random.size(1, most));
        let images = random.size(1, 2);
        let x = Numbers::of(&mut random, vec![images, dims[1], dims[2], dims[3]]);
        let [height, width] = [random.size(1, 20), random.size(1, 20)];
        let (align, half) = random.pick(&[(false, false), (true, false), (false, true)]);
        let nearest = |to: usize, from: usize, at: usize| {
            let scale = if align && to > 1 { (from - 1) as f32 / (to - 1) as f32 } else { from as f32 / to as f32 };
            let position = (at as f32 + if half { 0.5 } else { 0.0 }) * scale;
            (if align { position.round() } else { position.floor() } as i64).min(from as i64 - 1)
        };
        let want = gather(&x.values, &x.dims, &[images, height, width, dims[3]], 0, |at| {
            vec![at[0] as i64, nearest(height, dims[1], at[1]), nearest(width, dims[2], at[2]), at[3] as i64]
        });
        let attrs = [
            ("size", ints(&signed(&[height, width]))),
            ("align_corners", flag(align)),
            ("half_pixel_centers", flag(half)),
        ];
        x.check(&mut random, "resize_nearest", &attrs, &[want]);
    }
}

#[test]
fn resize_by_a_scale() {
    let args = [Arg::input(f32_type(&[1, 1, 2, 1]), &[1.0f32, 2.0])];
    let attrs = [("scale", ints(&[1, 2]))];
    let got: Vec<f32> = Application { op: "resize_nearest", args: &args, attrs: &attrs, quant: None }.result();
    assert_eq!(got.as_slice(), [1.0, 1.0, 2.0, 2.0]);
}

#[test]
fn embedding_gathers_rows_and_gives_zeros_outside() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let dims = vec![random.size(1, 9), random.size(1, 5)];
        let table = Numbers::of(&mut random, dims.clone());
        let ids_dims: Vec<usize> = (0..random.size(0, 3)).map(|_| random.size(1, 4)).collect();
        let ids: Vec<i32> = (0..ids_dims.iter().product())
            .map(|_| match random.size(0, 9) {
                0 => random.pick(&[-1, i32::MIN, i32::MAX, i32::try_from(dims[0]).unwrap()]),
                _ => i32::try_from(random.size(0, dims[0] - 1)).unwrap(),
            })
            .collect();
        let zero = table.zero();
        let row = |id: &i32| {
            let row = usize::try_from(*id).ok().and_then(|id| table.values.chunks(dims[1]).nth(id));
            row.map_or(vec![zero; dims[1]], <[i32]>::to_vec)
        };
        let want: Vec<i32> = ids.iter().flat_map(row).collect();
        let ids = Arg::input(TensorType::plain(DType::I32, shape(&ids_dims)), &ids);
        let args = [ids, table.arg(&mut random)];
        let got = Application { op: "embedding", args: &args, attrs: &[], quant: None }.run();
        assert_eq!(got, [table.bytes(&want)], "seed {seed}");
    }
}

#[test]
fn what_need_not_move_is_a_view() {
    let views = |op, dims: &[usize], attrs: &[(&'static str, AttrValue)]| -> Vec<usize> {
        let args = [Arg::Input(f32_type(dims), Vec::new())];
        let (program, _) = Application { op, args: &args, attrs, quant: None }.lower().unwrap();
        let offset = |rule: &Sharing| match rule {
            Sharing::View { offset, .. } => Some(*offset),
            Sharing::Overlap { .. } => None,
            other => panic!("{other:?}"),
        };
        program.steps[0].sharing.iter().filter_map(offset).collect()
    };
    let parts = |parts, axis| [("parts", int(parts)), ("axis", int(axis))];
    let cut = |begin: &[i64], size: &[i64]| [("begin", ints(begin)), ("size", ints(size))];
    assert_eq!(views("flatten", &[2, 3], &[]), [0]);
    assert_eq!(views("split", &[1, 4, 2], &parts(2, 1)), [0, 16]);
    assert_eq!(views("split", &[2, 4], &parts(2, 1)), [0; 0]);
    assert_eq!(views("slice", &[1, 4, 2], &cut(&[0, 1, 0], &[1, 2, 2])), [8]);
    assert_eq!(views("slice", &[3, 4], &cut(&[2, 1], &[1, 2])), [36], "one row");
    assert_eq!(views("slice", &[3, 4], &cut(&[1, 1], &[2, 2])), [0; 0]);
    assert_eq!(views("transpose", &[1, 5, 1, 2], &[("perm", ints(&[1, 0, 3, 2]))]), [0]);
    assert_eq!(views("transpose", &[2, 3], &[("perm", ints(&[1, 0]))]), [0; 0]);
}

#[test]
fn errors_say_what_would_fit() {
    let error = |op, dims: &[usize], attrs: &[(&'static str, AttrValue)]| {
        let args = [Arg::Input(f32_type(dims), Vec::new())];
        Application { op, args: &args, attrs, quant: None }.error()
    };
    assert_eq!(
        error("reshape", &[500, 32], &[("shape", ints(&[32]))]),
        "`reshape`: 16000 != 32 elements\n  got: f32[500, 32]\n  wanted: [32]"
    );
    let huge = [("shape", ints(&[i64::MAX, i64::MAX, 2]))];
    assert!(error("reshape", &[2], &huge).contains("elements"));
    assert!(error("reshape", &[2], &[("shape", ints(&[0, -1]))]).contains("cannot be divided by 0"));
    assert!(error("squeeze", &[2], &[("axes", int(0))]).contains("dimension 0 is 2, not 1"));
    assert!(error("flatten", &[2], &[("from", int(4))]).contains("wanted: -1..1"));
    assert!(error("transpose", &[2, 3], &[("perm", ints(&[0, 0]))]).contains("wanted: each of [0, 1] once"));
    let cut = |begin, size| [("begin", ints(&[begin])), ("size", ints(&[size]))];
    assert!(error("slice", &[4], &cut(4, 1)).contains("4 is outside dimension 0, which has 4"));
    assert!(error("slice", &[4], &cut(2, 3)).contains("wanted: at most 2, or -1"));
    assert!(error("slice", &[4, 1], &cut(0, 1)).contains("wanted: 2 numbers, one a dimension"));
    assert!(error("slice", &[4], &cut(0, 0)).contains("a dimension 0 of zero"));
    let parts = |parts| [("parts", parts), ("axis", int(0))];
    assert!(error("split", &[5], &parts(int(2))).contains("dimension 0 of 5 is not 2 equal parts"));
    assert!(error("split", &[5], &parts(ints(&[2, 2]))).contains("the parts sum to 4, not to the 5"));
    assert!(error("pad", &[5], &[("paddings", ints(&[1]))]).contains("wanted: 2 numbers"));
    assert!(error("resize_nearest", &[1, 2, 2, 1], &[]).contains("wanted: one of `size"));
    let args = [Arg::Input(f32_type(&[2, 3]), Vec::new()), Arg::Input(f32_type(&[2, 4]), Vec::new())];
    let concat = |axis| Application { op: "concat", args: &args, attrs: &[("axis", int(axis))], quant: None }.lower();
    assert!(concat(1).is_ok());
    assert!(concat(0).unwrap_err().to_string().contains("wanted: f32[2, 3], as the first part"));
    let ids = [Arg::Input(f32_type(&[2]), Vec::new()), Arg::Input(f32_type(&[2, 4]), Vec::new())];
    let embedding = Application { op: "embedding", args: &ids, attrs: &[], quant: None };
    assert!(embedding.error().contains("`ids` cannot be f32"));
}

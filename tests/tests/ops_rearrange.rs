//! Operators that repeat, mirror, turn and weave elements, against what they mean.

use planner_core::steps::Sharing;
use waterline_tests::build::{f32_type, int, ints, name};
use waterline_tests::numbers::{Numbers, signed};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::movement::gather;

const CASES: u64 = 250;

#[test]
fn reverse_turns() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [1, 5], 4);
        let axes: Vec<usize> = (0..x.dims.len()).filter(|_| random.one_in(2)).collect();
        let want = gather(&x.values, &x.dims, &x.dims, 0, |at| {
            let turned = |(axis, i): (usize, &usize)| if axes.contains(&axis) { x.dims[axis] - 1 - i } else { *i };
            signed(&at.iter().enumerate().map(turned).collect::<Vec<_>>())
        });
        x.check(&mut random, "reverse", &[("axes", ints(&signed(&axes)))], &[want]);
    }
}

#[test]
fn tile_repeats() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [0, 6], 3);
        let repeats: Vec<usize> = x.dims.iter().map(|_| random.size(1, 2)).collect();
        let result: Vec<usize> = x.dims.iter().zip(&repeats).map(|(size, times)| size * times).collect();
        let want = gather(&x.values, &x.dims, &result, 0, |at| {
            signed(&at.iter().zip(&x.dims).map(|(i, size)| i % size).collect::<Vec<_>>())
        });
        x.check(&mut random, "tile", &[("repeats", ints(&signed(&repeats)))], &[want]);
    }
}

#[test]
fn broadcast_to_stretches() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let shape: Vec<usize> = (0..random.size(0, 6)).map(|_| random.size(1, 3)).collect();
        let own = &shape[random.size(0, shape.len())..];
        let dims = own.iter().map(|&size| if random.one_in(2) { 1 } else { size }).collect();
        let x = Numbers::of(&mut random, dims);
        let want = gather(&x.values, &x.dims, &shape, 0, |at| {
            let own = at[shape.len() - x.dims.len()..].iter().zip(&x.dims);
            signed(&own.map(|(i, size)| if *size == 1 { 0 } else { *i }).collect::<Vec<_>>())
        });
        x.check(&mut random, "broadcast_to", &[("shape", ints(&signed(&shape)))], &[want]);
    }
}

#[test]
fn mirror_pad_mirrors() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [0, 4], 4);
        let (mode, edge) = random.pick(&[("reflect", 1), ("symmetric", 0)]);
        let mut side = |size: usize| if random.one_in(3) { 0 } else { random.size(0, size - edge) };
        let sides: Vec<[usize; 2]> = x.dims.iter().map(|&size| [side(size), side(size)]).collect();
        let result: Vec<usize> = x.dims.iter().zip(&sides).map(|(size, [a, b])| a + size + b).collect();
        let want = gather(&x.values, &x.dims, &result, 0, |at| {
            let mirrored = |((&i, &size), &[before, _]): ((&usize, &usize), &[usize; 2])| {
                let (i, size) =
                    (i64::try_from(i).unwrap() - i64::try_from(before).unwrap(), i64::try_from(size).unwrap());
                let edge = i64::try_from(edge).unwrap();
                if i < 0 { edge - 1 - i } else { i.min(2 * size - 1 - edge - i) }
            };
            at.iter().zip(&x.dims).zip(&sides).map(mirrored).collect()
        });
        let attrs = [("paddings", ints(&signed(sides.as_flattened()))), ("mode", name(mode))];
        x.check(&mut random, "mirror_pad", &attrs, &[want]);
    }
}

#[test]
fn space_and_depth_change_places() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let block = random.size(1, 3);
        let [batch, height, width, depth] = [2, 3, 3, 3].map(|most| random.size(1, most));
        let x = Numbers::of(&mut random, vec![batch, height * block, width * block, depth]);
        let deep = [batch, height, width, block * block * depth];
        let want = gather(&x.values, &x.dims, &deep, 0, |at| {
            let place = at[3] / depth;
            signed(&[at[0], at[1] * block + place / block, at[2] * block + place % block, at[3] % depth])
        });
        let attrs = [("block", int(i64::try_from(block).unwrap()))];
        x.check(&mut random, "space_to_depth", &attrs, std::slice::from_ref(&want));
        let deep = Numbers { dims: deep.to_vec(), values: want, dtype: x.dtype };
        deep.check(&mut random, "depth_to_space", &attrs, &[x.values]);
    }
}

/// Images of 1 to 3 dimensions of space, and blocks that fill them with their padding.
struct Blocks {
    dims: Vec<usize>,
    block: Vec<usize>,
    sides: Vec<[usize; 2]>,
}

impl Blocks {
    fn new(random: &mut Random) -> Self {
        let mut dims = vec![random.size(1, 2)];
        let (mut block, mut sides) = (Vec::new(), Vec::new());
        let padded = random.one_in(2);
        for _ in 0..random.size(1, 3) {
            let (size, pad) = (random.size(1, 3), if padded { random.size(0, 2) } else { 0 });
            let room = random.size(1, 3) * size;
            let before = pad.min(room - 1);
            let after = if padded { random.size(0, room - 1 - before) } else { 0 };
            dims.push(room - before - after);
            block.push(size);
            sides.push([before, after]);
        }
        dims.extend((0..random.size(0, 1)).map(|_| random.size(1, 3)));
        Self { dims, block, sides }
    }

    /// The dimensions in the batch.
    fn far(&self) -> Vec<usize> {
        let mut far = self.dims.clone();
        far[0] *= self.block.iter().product::<usize>();
        for (axis, (block, sides)) in self.block.iter().zip(&self.sides).enumerate() {
            far[axis + 1] = (sides[0] + far[axis + 1] + sides[1]) / block;
        }
        far
    }

    /// The position in space of the element at `far` in the batch; outside where that is padding.
    fn near(&self, far: &[usize]) -> Vec<i64> {
        let mut near = signed(far);
        let mut place = far[0] / self.dims[0];
        near[0] %= i64::try_from(self.dims[0]).unwrap();
        for (axis, (block, sides)) in self.block.iter().zip(&self.sides).enumerate().rev() {
            let at = far[axis + 1] * block + place % block;
            near[axis + 1] = i64::try_from(at).unwrap() - i64::try_from(sides[0]).unwrap();
            place /= block;
        }
        near
    }
}

#[test]
fn space_becomes_a_batch() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let blocks = Blocks::new(&mut random);
        let x = Numbers::of(&mut random, blocks.dims.clone());
        let want = gather(&x.values, &x.dims, &blocks.far(), x.zero(), |at| blocks.near(at));
        let attrs = [("block", ints(&signed(&blocks.block))), ("paddings", ints(&signed(blocks.sides.as_flattened())))];
        x.check(&mut random, "space_to_batch", &attrs, &[want]);
    }
}

#[test]
fn a_batch_becomes_space() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let blocks = Blocks::new(&mut random);
        let x = Numbers::of(&mut random, blocks.far());
        let mut want = vec![0; blocks.dims.iter().product()];
        let positions = waterline_tests::reference::movement::positions(&x.dims);
        for (value, at) in x.values.iter().zip(positions) {
            if let Some(index) = waterline_tests::reference::movement::index(&blocks.dims, &blocks.near(&at)) {
                want[index] = *value;
            }
        }
        let attrs = [("block", ints(&signed(&blocks.block))), ("crops", ints(&signed(blocks.sides.as_flattened())))];
        x.check(&mut random, "batch_to_space", &attrs, &[want]);
    }
}

#[test]
fn pack_stands_parts_side_by_side_and_unpack_takes_them_apart() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let count = random.size(1, 4);
        let first = Numbers::new(&mut random, [0, 4], 4);
        let axis = random.size(0, first.dims.len());
        let parts: Vec<Numbers> = (0..count)
            .map(|part| {
                let values = first.values.iter().map(|v| (v + 7 * i32::try_from(part).unwrap()) % 120).collect();
                Numbers { values, ..first.clone() }
            })
            .collect();
        let mut dims = first.dims.clone();
        dims.insert(axis, count);
        let inner: usize = dims[axis + 1..].iter().product();
        let whole: Vec<i32> = (0..count * first.values.len())
            .map(|i| parts[i / inner % count].values[i / (inner * count) * inner + i % inner])
            .collect();
        let args: Vec<Arg> = parts.iter().map(|part| part.arg(&mut random)).collect();
        let axis = ("axis", int(i64::try_from(axis).unwrap()));
        let got = Application { op: "pack", args: &args, attrs: std::slice::from_ref(&axis), quant: None }.run();
        assert_eq!(got, [first.bytes(&whole)], "seed {seed}");
        let whole = Numbers { dims, values: whole, dtype: first.dtype };
        let want: Vec<Vec<i32>> = parts.into_iter().map(|part| part.values).collect();
        whole.check(&mut random, "unpack", &[("parts", int(i64::try_from(count).unwrap())), axis], &want);
    }
}

#[test]
fn strided_slice_cuts_either_way() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let x = Numbers::new(&mut random, [1, 5], 5);
        let (mut begin, mut end, mut stride, mut end_mask) = (Vec::new(), Vec::new(), Vec::new(), 0);
        let (mut result, mut first) = (Vec::new(), Vec::new());
        for (axis, &size) in x.dims.iter().enumerate() {
            let (from, step) = (random.size(0, size - 1), i64::try_from(random.size(1, 3)).unwrap());
            let step = if random.one_in(2) { -step } else { step };
            let reach = if step < 0 { from + 1 } else { size - from };
            let count = random.size(1, reach.div_ceil(usize::try_from(step.abs()).unwrap()));
            let from = i64::try_from(from).unwrap();
            let last = from + step * i64::try_from(count).unwrap();
            // One behind the first cannot be written but by leaving the end out.
            end_mask |= i64::from(last < 0) << axis;
            begin.push(if random.one_in(3) { from - i64::try_from(size).unwrap() } else { from });
            end.push(last.max(0));
            stride.push(step);
            result.push(count);
            first.push(from);
        }
        let want = gather(&x.values, &x.dims, &result, 0, |at| {
            signed(at).iter().zip(&first).zip(&stride).map(|((i, from), step)| from + i * step).collect()
        });
        let attrs =
            [("begin", ints(&begin)), ("end", ints(&end)), ("stride", ints(&stride)), ("end_mask", int(end_mask))];
        x.check(&mut random, "strided_slice", &attrs, &[want]);
    }
}

#[test]
fn what_need_not_move_is_a_view() {
    let views = |op, dims: &[usize], attrs: &[_]| {
        let args = [Arg::Input(f32_type(dims), Vec::new())];
        let (program, _) = Application { op, args: &args, attrs, quant: None }.lower().unwrap();
        program.steps[0].sharing.iter().filter(|rule| matches!(rule, Sharing::View { .. })).count()
    };
    assert_eq!(views("unpack", &[3, 4], &[("parts", int(3))]), 3);
    assert_eq!(views("unpack", &[3, 4], &[("parts", int(4)), ("axis", int(1))]), 0);
    assert_eq!(views("strided_slice", &[1, 5, 2], &[("begin", ints(&[0, 1])), ("end", ints(&[1, 3]))]), 1);
    assert_eq!(views("reverse", &[1, 3], &[("axes", ints(&[0]))]), 1);
    assert_eq!(views("broadcast_to", &[3], &[("shape", ints(&[1, 1, 3]))]), 1);
    assert_eq!(views("space_to_batch", &[1, 4, 3], &[("block", ints(&[1]))]), 1);
    assert_eq!(views("depth_to_space", &[1, 1, 1, 8], &[("block", int(2))]), 1);
}

#[test]
fn errors_say_what_would_fit() {
    let error = |op, dims: &[usize], attrs: &[_]| {
        let args = [Arg::Input(f32_type(dims), Vec::new())];
        Application { op, args: &args, attrs, quant: None }.error()
    };
    let text = error("mirror_pad", &[3], &[("paddings", ints(&[0, 3]))]);
    assert!(
        text.contains("3 elements are more than a mirror of dimension 0 has") && text.contains("at most 2"),
        "{text}"
    );
    let text = error("space_to_batch", &[1, 5, 4, 1], &[("block", ints(&[2, 2]))]);
    assert!(text.contains("blocks of 2 do not fill dimension 1\n  got: 5 with its padding"), "{text}");
    assert!(error("space_to_batch", &[1, 4], &[("block", ints(&[2, 2]))]).contains("`block` has 2 numbers"));
    assert!(error("batch_to_space", &[3, 4], &[("block", ints(&[2]))]).contains("a batch of 3 is no number of blocks"));
    let crops = [("block", ints(&[2])), ("crops", ints(&[3, 1]))];
    assert!(error("batch_to_space", &[2, 2], &crops).contains("leaves nothing of dimension 1"));
    assert!(error("depth_to_space", &[1, 1, 1, 6], &[("block", int(2))]).contains("6 channels do not fill 2 by 2"));
    assert!(error("space_to_depth", &[1, 3, 2, 6], &[("block", int(2))]).contains("do not fill the image"));
    assert!(error("unpack", &[2, 3], &[("parts", int(3))]).contains("dimension 0 has 2 parts"));
    assert!(error("broadcast_to", &[2, 3], &[("shape", ints(&[2, 6]))]).contains("[2, 3] does not stretch to [2, 6]"));
    assert!(error("tile", &[2, 3], &[("repeats", ints(&[2]))]).contains("`repeats` has 1 numbers"));
    assert!(
        error("strided_slice", &[4], &[("begin", ints(&[3])), ("end", ints(&[1]))]).contains("nothing lies between")
    );
    let parts = [Arg::Input(f32_type(&[2]), Vec::new()), Arg::Input(f32_type(&[3]), Vec::new())];
    let text = Application { op: "pack", args: &parts, attrs: &[], quant: None }.error();
    assert!(text.contains("got: f32[3]\n  wanted: f32[2]"), "{text}");
}

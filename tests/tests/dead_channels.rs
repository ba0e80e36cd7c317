//! Channels that are constant or unread are removed, and results stay as they were, bit for bit.

use planner_core::arch::Arch;
use planner_core::dtype::DType;
use planner_core::model::{Channel, TypedModel};
use planner_core::options::Options;
use planner_core::passes::dead_channels::channel_ranges;
use planner_core::passes::rewrite;
use planner_core::plan::lock::hash;
use planner_core::plan::plan;
use planner_core::report;
use planner_core::steps::{Program, lower_for};
use waterline_tests::build::{Builder, i8_type, name, q};
use waterline_tests::channels::network;
use waterline_tests::interpreter::{Interpreter, Placement};
use waterline_tests::random::Random;

const DTYPES: [DType; 3] = [DType::I8, DType::U8, DType::I16];

fn rewritten(typed: &TypedModel, elimination: bool, arch: Arch) -> Program {
    let options = Options { elimination, ..Options::default() };
    lower_for(&rewrite(typed.clone(), &options).unwrap(), arch).unwrap()
}

/// Inputs of `program` at the ends of their type, and random ones.
fn inputs(program: &Program, random: &mut Random) -> Vec<Vec<u8>> {
    let ty = &program.tensor(program.inputs[0].tensor).ty;
    let range = ty.dtype.range().unwrap();
    let mut all: Vec<Vec<u8>> = [*range.start(), *range.end()]
        .map(|end| end.to_le_bytes()[..ty.dtype.bytes()].repeat(ty.shape.elements()))
        .to_vec();
    all.extend((0..4).map(|_| (0..ty.bytes()).map(|_| random.bits().to_le_bytes()[3]).collect()));
    all
}

#[test]
fn networks_give_the_same_bits_with_fewer_channels() {
    let [mut zero, mut other, mut unread] = [0; 3];
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let dtype = random.pick(&DTYPES);
        let typed = network(random, dtype);
        for arch in Arch::ALL {
            let (whole, less) = (rewritten(&typed, false, arch), rewritten(&typed, true, arch));
            assert_eq!((whole.removed_channels(), less.outputs.len()), (0, whole.outputs.len()));
            assert!(less.macs() <= whole.macs());
            for reduced in &less.reduced {
                let zero_point = less.tensor(reduced.tensor).ty.quant.as_ref().unwrap().zero_point();
                for channel in &reduced.channels {
                    match channel {
                        Channel::Kept => {}
                        Channel::Constant(constant) if *constant == zero_point => zero += 1,
                        Channel::Constant(_) => other += 1,
                        Channel::Unread => unread += 1,
                    }
                }
            }
            let plan = plan(less.clone(), &Options::default()).unwrap();
            for input in inputs(&whole, random) {
                let wanted = Interpreter::new(&whole, &[]).run_apart(&[input.clone()]);
                let interpreter = Interpreter::new(&less, &[]);
                assert_eq!(interpreter.run_apart(&[input.clone()]), wanted, "seed {seed}:\n{}", typed.model);
                let placement = Placement::planned(&plan);
                let planned = interpreter.run(&placement, &mut placement.arena(0x5555_5555), &[input]);
                assert_eq!(planned, wanted, "seed {seed}, planned");
            }
        }
    }
    println!("removed: {zero} constant at the zero point, {other} at another number, {unread} unread");
    assert!(zero.min(other).min(unread) > 500);
}

#[test]
fn no_tensor_leaves_its_ranges() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let dtype = random.pick(&DTYPES);
        let typed = network(random, dtype);
        let ranges = channel_ranges(&typed);
        let program = lower_for(&typed, Arch::Portable).unwrap();
        let (interpreter, placement) = (Interpreter::new(&program, &[]), Placement::apart(&program));
        for input in inputs(&program, random) {
            let mut arena = placement.arena(0);
            let _ = interpreter.run(&placement, &mut arena, &[input]);
            for id in program.steps.iter().flat_map(|step| &step.writes) {
                let bytes = placement.bytes(&program, *id, &arena);
                for (index, element) in bytes.chunks(dtype.bytes()).enumerate() {
                    let element = match dtype {
                        DType::U8 => element[0].into(),
                        DType::I8 => element[0].cast_signed().into(),
                        _ => i32::from(i16::from_le_bytes([element[0], element[1]])),
                    };
                    let [least, most] = ranges[id.0][index % ranges[id.0].len()];
                    let name = &program.tensor(*id).name;
                    assert!((least..=most).contains(&element), "seed {seed}: {element} in `{name}`, {least}..={most}");
                }
            }
        }
    }
}

/// A layer over one pixel of one channel: all that it can give is seen.
#[test]
fn ranges_of_layers_of_one_number_are_exact() {
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let mut net = Builder::new();
        let zero_point = i32::try_from(random.int(-128, 127)).unwrap();
        let x = net.input("x", i8_type(&[1, 1, 1, 1], q(0.1, zero_point)));
        let weights = random.i8s(9 * 16);
        let same = random.one_in(2);
        let (op, dims): (_, &[usize]) =
            random.pick(&[("conv2d", &[16, 1, 1, 1][..]), ("depthwise_conv2d", &[1, 3, 3, 16])]);
        let taps: usize = dims[1] * dims[2];
        let w = net.param_i8("w", dims, q(random.scale(0.001, 0.05), 0), &weights[..16 * taps]);
        let bias: Vec<i32> = (0..16).map(|_| i32::try_from(random.int(-20_000, 20_000)).unwrap()).collect();
        let b = net.param_i32("b", &[16], &bias);
        let padding = if same || taps > 1 { "same" } else { "valid" };
        let attrs = [("act", name(random.pick(&["none", "relu", "relu6"]))), ("padding", name(padding))];
        let y = net.apply_q(op, &[x, w, b], &attrs, q(random.scale(0.01, 0.5), 3));
        net.output(y);
        let typed = net.infer().unwrap();
        let program = lower_for(&typed, Arch::Portable).unwrap();
        let mut seen = [[i8::MAX, i8::MIN]; 16];
        for x in i8::MIN..=i8::MAX {
            let got = &Interpreter::new(&program, &[]).run_apart(&[vec![x.cast_unsigned()]])[0];
            for (seen, y) in seen.iter_mut().zip(got) {
                *seen = [seen[0].min(y.cast_signed()), seen[1].max(y.cast_signed())];
            }
        }
        let seen = seen.map(|range| range.map(i32::from));
        let ranges = &channel_ranges(&typed)[y.0];
        if taps == 1 {
            assert_eq!(ranges, &seen, "seed {seed}");
        }
        // Eight of nine taps see only padding, which the analysis leaves open.
        let holds = |(range, seen): (&[i32; 2], &[i32; 2])| range[0] <= seen[0] && seen[1] <= range[1];
        assert!(ranges.iter().zip(&seen).all(holds), "seed {seed}");
    }
}

/// How many of eight channels, the last four of them constant, are removed before `op` with a filter of `dims`.
fn removed_before(op: &str, dims: &[usize], padding: &'static str, constant_is_zero: bool) -> usize {
    let random = &mut Random::new(1);
    let mut net = Builder::new();
    let x = net.input("x", i8_type(&[1, 5, 5, 2], q(0.1, 0)));
    let weights = [5, 9, 8, 0, 7, 7, 3, -9, 0, 0, 0, 0, 0, 0, 0, 0];
    let w = net.param_i8("w", &[8, 1, 1, 2], q(0.02, 0), &weights);
    let constant = if constant_is_zero { 0 } else { 500 };
    let b = net.param_i32("b", &[8], &[0, 0, 0, 0, constant, constant, constant, constant]);
    let h = net.apply_q("conv2d", &[x, w, b], &[], q(0.05, 0));
    let w = net.param_i8("v", dims, q(0.02, 0), &random.i8s(dims.iter().product()));
    let y = net.apply_q(op, &[h, w], &[("padding", name(padding))], q(0.3, 0));
    net.output(y);
    let typed = net.infer().unwrap();
    let less = rewritten(&typed, true, Arch::Portable);
    for input in inputs(&less, random) {
        let wanted = Interpreter::new(&rewritten(&typed, false, Arch::Portable), &[]).run_apart(&[input.clone()]);
        assert_eq!(Interpreter::new(&less, &[]).run_apart(&[input]), wanted);
    }
    less.removed_channels()
}

#[test]
fn a_constant_beside_padding_stays_unless_it_is_what_padding_is() {
    for taps in [1, 3] {
        let conv = [3, taps, taps, 8];
        assert_eq!(removed_before("conv2d", &conv, "valid", false), 4);
        assert_eq!(removed_before("conv2d", &conv, "valid", true), 4);
        assert_eq!(removed_before("conv2d", &conv, "same", true), 4);
        assert_eq!(removed_before("conv2d", &conv, "same", false), if taps == 1 { 4 } else { 0 });
    }
    // The result is an output: all of its channels are.
    assert_eq!(removed_before("depthwise_conv2d", &[1, 3, 3, 8], "same", true), 0);
}

/// Two dense layers of eight channels, the first without weights for those of `empty`.
fn two_layers(empty: std::ops::Range<usize>) -> TypedModel {
    let mut net = Builder::new();
    let x = net.input("x", i8_type(&[1, 8], q(0.1, 0)));
    let weights: Vec<i8> = (0..64).map(|i| if empty.contains(&(i / 8)) { 0 } else { 9 }).collect();
    let w = net.param_i8("w", &[8, 8], q(0.02, 0), &weights);
    let h = net.apply_q("dense", &[x, w], &[], q(0.05, 0));
    let v = net.param_i8("v", &[8, 8], q(0.02, 0), &[7; 64]);
    let y = net.apply_q("dense", &[h, v], &[], q(0.05, 0));
    net.output(y);
    net.infer().unwrap()
}

#[test]
fn weights_that_are_placeholders_prove_nothing() {
    let mut typed = two_layers(0..6);
    let program = rewritten(&typed, true, Arch::Portable);
    assert_eq!(program.removed_channels(), 4, "two fill up the last four");
    assert_eq!((program.macs(), program.weight_bytes()), (64, 64));
    assert!(report::line(&plan(program, &Options::default()).unwrap()).ends_with(", 2 steps, 4 channels removed"));
    typed.model.params[0].placeholder = true;
    assert_eq!(rewritten(&typed, true, Arch::Portable).removed_channels(), 0);
}

#[test]
fn a_lock_depends_on_weights_by_the_number_of_dead_channels() {
    let lock = |empty, elimination| {
        let options = Options { elimination, ..Options::default() };
        hash(&rewritten(&two_layers(empty), elimination, Arch::Portable), &options)
    };
    assert_eq!(lock(0..4, true), lock(4..8, true));
    assert_ne!(lock(0..4, true), lock(0..0, true));
    assert_eq!(lock(0..4, false), lock(0..0, false));
}

//! Rewrites leave results as they were, and less to do.

use planner_core::diagnostic::Diagnostics;
use planner_core::model::{TensorId, TypedModel};
use planner_core::ops::AttrValue;
use planner_core::options::Options;
use planner_core::passes::rewrite;
use planner_core::quant::Quant;
use planner_core::steps::{Program, lower};
use waterline_tests::build::{Builder, f32_type, i8_type, int, ints, name, q};
use waterline_tests::interpreter::Interpreter;
use waterline_tests::random::Random;

fn rewritten(typed: TypedModel) -> Program {
    lower(&rewrite(typed, &Options::default()).unwrap()).unwrap()
}

fn run(program: &Program, input: &[u8]) -> Vec<Vec<u8>> {
    Interpreter::new(program, &[]).run_apart(&[input.to_vec()])
}

fn ops(program: &Program) -> Vec<&'static str> {
    program.steps.iter().map(|step| step.op).collect()
}

const IMAGE: [usize; 4] = [1, 5, 4, 3];

/// A layer of each kind that can have an activation, over an image.
const PRODUCERS: [&str; 7] = ["conv2d", "depthwise_conv2d", "dense", "max_pool2d", "avg_pool2d", "add", "mul"];

fn filter_shape(op: &str) -> Option<&'static [usize]> {
    match op {
        "conv2d" => Some(&[4, 3, 3, 3]),
        "conv1d" => Some(&[4, 3, 3]),
        "depthwise_conv2d" => Some(&[1, 3, 3, 6]),
        "dense" => Some(&[4, 3]),
        _ => None,
    }
}

/// Applies `op` to `x` and whatever else it needs.
fn apply(net: &mut Builder, op: &str, x: TensorId, quant: Option<&Quant>, random: &mut Random) -> TensorId {
    let attrs: &[(&str, AttrValue)] = if op.ends_with("pool2d") { &[("filter", ints(&[2, 2]))] } else { &[] };
    let args = match (filter_shape(op), quant) {
        (None, _) if op.ends_with("pool2d") => vec![x],
        (None, _) => vec![x, x],
        (Some(dims), None) => vec![x, net.param_f32("w", dims, &random.f32s(dims.iter().product()))],
        (Some(dims), Some(_)) => {
            vec![x, net.param_i8("w", dims, q(0.02, 0), &random.i8s(dims.iter().product()))]
        }
    };
    match quant.filter(|_| !op.ends_with("pool2d")) {
        Some(quant) => net.apply_q(op, &args, attrs, quant.clone()),
        None => net.apply(op, &args, attrs),
    }
}

#[test]
fn activations_fuse_and_bits_stay() {
    for (round, op) in PRODUCERS.into_iter().enumerate() {
        for act in ["relu", "relu6"] {
            for quant in [None, Some(q(0.05, -20))] {
                let random = &mut Random::new(round as u64);
                let mut net = Builder::new();
                let ty = quant.clone().map_or(f32_type(&IMAGE), |quant| i8_type(&IMAGE, quant));
                let x = net.input("x", ty);
                let h = apply(&mut net, op, x, quant.as_ref(), random);
                let y = net.apply(act, &[h], &[]);
                net.output(y);
                let typed = net.infer().unwrap();
                let plain = lower(&typed).unwrap();
                let fused = rewritten(typed);
                assert_eq!((plain.steps.len(), ops(&fused)), (2, vec![op]), "{op} {act} {quant:?}");
                let input = match quant {
                    None => bytemuck::cast_slice(&random.f32s(60).map_by(8.0)).to_vec(),
                    Some(_) => bytemuck::cast_slice(&random.i8s(60)).to_vec(),
                };
                assert_eq!(run(&plain, &input), run(&fused, &input), "{op} {act} {quant:?}");
            }
        }
    }
}

trait MapBy {
    fn map_by(self, factor: f32) -> Self;
}

impl MapBy for Vec<f32> {
    /// Every number times `factor`.
    fn map_by(self, factor: f32) -> Self {
        self.into_iter().map(|x| x * factor).collect()
    }
}

#[test]
fn an_activation_that_is_not_alone_stays() {
    // The sum is read twice.
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[4]));
    let h = net.apply("add", &[x, x], &[]);
    let r = net.apply("relu", &[h], &[]);
    let y = net.apply("add", &[r, h], &[]);
    net.output(y);
    assert_eq!(ops(&rewritten(net.infer().unwrap())), ["add", "relu", "add"]);

    // The sum is shown.
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[4]));
    let h = net.apply("add", &[x, x], &[]);
    let y = net.apply("relu", &[h], &[]);
    net.output(h);
    net.output(y);
    assert_eq!(ops(&rewritten(net.infer().unwrap())), ["add", "relu"]);

    // The activation has another scale.
    let mut net = Builder::new();
    let x = net.input("x", i8_type(&[4], q(0.1, 0)));
    let h = net.apply_q("add", &[x, x], &[], q(0.2, 0));
    let y = net.apply_q("relu", &[h], &[], q(0.1, -128));
    net.output(y);
    assert_eq!(ops(&rewritten(net.infer().unwrap())), ["add", "relu"]);

    // There is an activation already.
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[4]));
    let h = net.apply("add", &[x, x], &[("act", name("relu6"))]);
    let y = net.apply("relu", &[h], &[]);
    net.output(y);
    assert_eq!(ops(&rewritten(net.infer().unwrap())), ["add", "relu"]);
}

fn statistics(net: &mut Builder, channels: usize, random: &mut Random) -> [TensorId; 4] {
    let variance: Vec<f32> = random.f32s(channels).iter().map(|v| v.abs() + 0.1).collect();
    let [gamma, beta, mean] =
        ["gamma", "beta", "mean"].map(|name| net.param_f32(name, &[channels], &random.f32s(channels)));
    [gamma, beta, mean, net.param_f32("variance", &[channels], &variance)]
}

#[test]
fn batch_norm_folds_into_every_layer() {
    for (round, op) in ["conv1d", "conv2d", "dense", "depthwise_conv2d"].into_iter().cycle().take(8).enumerate() {
        let random = &mut Random::new(round as u64);
        let mut net = Builder::new();
        let dims = if op == "conv1d" { [1, 9, 1, 3] } else { IMAGE };
        let x = net.input("x", f32_type(&dims));
        let filter = filter_shape(op).unwrap();
        let w = net.param_f32("w", filter, &random.f32s(filter.iter().product()));
        let channels = if op == "depthwise_conv2d" { 6 } else { 4 };
        let mut args = vec![x, w];
        if round < 4 {
            args.push(net.param_f32("b", &[channels], &random.f32s(channels)));
        }
        let h = net.apply(op, &args, &[]);
        let [gamma, beta, mean, variance] = statistics(&mut net, channels, random);
        let n = net.apply("batch_norm", &[h, gamma, beta, mean, variance], &[]);
        let y = net.apply("relu", &[n], &[]);
        net.output(y);
        let typed = net.infer().unwrap();
        let plain = lower(&typed).unwrap();
        let folded = rewritten(typed);
        assert_eq!((plain.steps.len(), ops(&folded)), (3, vec![op]));
        let input: Vec<u8> = bytemuck::cast_slice(&random.f32s(dims.iter().product())).to_vec();
        let (wanted, got) = (run(&plain, &input), run(&folded, &input));
        let (wanted, got): (&[f32], &[f32]) = (bytemuck::cast_slice(&wanted[0]), bytemuck::cast_slice(&got[0]));
        assert!(wanted.iter().any(|y| *y > 0.0));
        for (wanted, got) in wanted.iter().zip(got) {
            assert!((wanted - got).abs() < 1e-4, "{got} for {wanted}: {op}");
        }
    }
}

#[test]
fn a_folded_layer_leaves_shared_weights_alone() {
    let random = &mut Random::new(1);
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[1, 3]));
    let w = net.param_f32("w", &[3, 3], &random.f32s(9));
    let h = net.apply("dense", &[x, w], &[]);
    let [gamma, beta, mean, variance] = statistics(&mut net, 3, random);
    let n = net.apply("batch_norm", &[h, gamma, beta, mean, variance], &[]);
    let y = net.apply("dense", &[n, w], &[]);
    net.output(y);
    let typed = net.infer().unwrap();
    let plain = lower(&typed).unwrap();
    let folded = rewritten(typed);
    assert_eq!(ops(&folded), ["dense", "dense"]);
    let input: Vec<u8> = bytemuck::cast_slice(&random.f32s(3)).to_vec();
    let (wanted, got) = (run(&plain, &input), run(&folded, &input));
    let (wanted, got): (&[f32], &[f32]) = (bytemuck::cast_slice(&wanted[0]), bytemuck::cast_slice(&got[0]));
    for (wanted, got) in wanted.iter().zip(got) {
        assert!((wanted - got).abs() < 1e-5, "{got} for {wanted}");
    }
}

#[test]
fn batch_norm_of_what_is_read_elsewhere_stays() {
    let random = &mut Random::new(1);
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[1, 3]));
    let w = net.param_f32("w", &[3, 3], &random.f32s(9));
    let h = net.apply("dense", &[x, w], &[]);
    let [gamma, beta, mean, variance] = statistics(&mut net, 3, random);
    let n = net.apply("batch_norm", &[h, gamma, beta, mean, variance], &[]);
    let y = net.apply("add", &[n, h], &[]);
    net.output(y);
    assert_eq!(ops(&rewritten(net.infer().unwrap())), ["dense", "batch_norm", "add"]);
}

#[test]
fn batch_norm_of_invisible_numbers_is_an_error() -> Result<(), Diagnostics> {
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[1, 3]));
    let w = net.param_f32("w", &[3, 3], &[0.0; 9]);
    let h = net.apply("dense", &[x, w], &[]);
    let gamma = net.external("gamma", f32_type(&[3]), 0);
    let y = net.apply("batch_norm", &[h, gamma, gamma, gamma, gamma], &[]);
    net.output(y);
    let found = lower(&rewrite(net.infer()?, &Options::default())?).unwrap_err();
    assert!(found.to_string().contains("keep these numbers in a file"), "{found}");
    Ok(())
}

#[test]
fn what_reaches_no_output_is_removed() {
    let mut net = Builder::new();
    let unread = net.input("_unread", f32_type(&[2]));
    let x = net.input("x", f32_type(&[4]));
    let w = net.param_f32("w", &[4], &[1.0; 4]);
    let dead = net.apply("add", &[x, w], &[]);
    net.apply("relu", &[dead], &[]);
    let parts = net.try_apply("split", &[x], &[("axis", ints(&[0])), ("parts", int(2))], None).unwrap();
    net.output(parts[1]);
    let typed = rewrite(net.infer().unwrap(), &Options::default()).unwrap();
    assert_eq!(typed.model.inputs[0].tensor, unread);
    assert!(typed.model.params.is_empty());
    let names: Vec<&str> = typed.model.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}: two inputs and both parts");
    let program = lower(&typed).unwrap();
    assert_eq!(ops(&program), ["split"]);
    let inputs = [vec![0; 8], bytemuck::cast_slice(&[1.0f32, 2.0, 3.0, 4.0]).to_vec()];
    let outputs = Interpreter::new(&program, &[]).run_apart(&inputs);
    assert_eq!(bytemuck::cast_slice::<u8, f32>(&outputs[0]), [3.0, 4.0]);
}

/// One input, what `build` makes of it: the same bits before and after the rewrites, and the operators after them.
fn same_bits(
    ty: planner_core::model::TensorType,
    build: impl Fn(&mut Builder, TensorId, &mut Random) -> TensorId,
    seed: u64,
) -> Vec<&'static str> {
    let random = &mut Random::new(seed);
    let mut net = Builder::new();
    let elements = ty.shape.elements();
    let real = ty.quant.is_none();
    let x = net.input("x", ty);
    let y = build(&mut net, x, random);
    net.output(y);
    let typed = net.infer().unwrap_or_else(|e| panic!("{e}"));
    let plain = lower(&typed).unwrap();
    let less = rewritten(typed);
    let input = if real {
        bytemuck::cast_slice(&random.f32s(elements).map_by(8.0)).to_vec()
    } else {
        bytemuck::cast_slice(&random.i8s(elements)).to_vec()
    };
    assert_eq!(run(&plain, &input), run(&less, &input), "seed {seed}");
    ops(&less)
}

/// A filter of `dims`, of the element type of the network.
fn filter(net: &mut Builder, dims: &[usize], real: bool, random: &mut Random) -> TensorId {
    let count = dims.iter().product();
    if real {
        net.param_f32("w", dims, &random.f32s(count))
    } else {
        net.param_i8("w", dims, q(0.02, 0), &random.i8s(count))
    }
}

#[test]
fn pads_fold_into_layers_and_bits_stay() {
    for seed in 0..120 {
        for real in [true, false] {
            let quant = q(0.05, -20);
            let ty = if real { f32_type(&[1, 7, 6, 2]) } else { i8_type(&[1, 7, 6, 2], quant.clone()) };
            let names = same_bits(
                ty,
                |net, x, random| {
                    let sides: Vec<i64> = (0..4).map(|_| random.int(0, 2)).collect();
                    let paddings = ints(&[0, 0, sides[0], sides[1], sides[2], sides[3], 0, 0]);
                    let padded = net.apply("pad", &[x], &[("paddings", paddings)]);
                    let padding = match random.size(0, 2) {
                        0 => name("same"),
                        1 => name("valid"),
                        _ => ints(&[1, 0, 0, 1]),
                    };
                    let attrs = [("stride", ints(&[random.int(1, 3), random.int(1, 3)])), ("padding", padding)];
                    let (op, dims) = random.pick(&[("conv2d", [3, 3, 2, 2]), ("depthwise_conv2d", [1, 2, 3, 4])]);
                    let w = filter(net, &dims, real, random);
                    if real {
                        net.apply(op, &[padded, w], &attrs)
                    } else {
                        net.apply_q(op, &[padded, w], &attrs, quant.clone())
                    }
                },
                seed,
            );
            assert_eq!(names.len(), 1, "{names:?}, seed {seed}");
        }
    }
}

#[test]
fn pads_of_time_fold_into_conv1d() {
    for seed in 0..60 {
        let quant = q(0.05, -20);
        for real in [true, false] {
            let dims = [1, 9, 1, 2];
            let ty = if real { f32_type(&dims) } else { i8_type(&dims, quant.clone()) };
            let names = same_bits(
                ty,
                |net, x, random| {
                    let paddings = ints(&[0, 0, random.int(0, 3), random.int(0, 3), 0, 0, 0, 0]);
                    let padded = net.apply("pad", &[x], &[("paddings", paddings)]);
                    let padding = name(random.pick(&["same", "valid"]));
                    let steps = [random.int(1, 3), random.int(1, 2)];
                    let [stride, dilation] = steps.map(AttrValue::Int);
                    let attrs = [("stride", stride), ("dilation", dilation), ("padding", padding)];
                    let w = filter(net, &[3, 2, 2], real, random);
                    if real {
                        net.apply("conv1d", &[padded, w], &attrs)
                    } else {
                        net.apply_q("conv1d", &[padded, w], &attrs, quant.clone())
                    }
                },
                seed,
            );
            assert_eq!(names, ["conv1d"], "seed {seed}");
        }
    }
}

#[test]
fn pads_that_count_stay() {
    let ops_of = |value: f32, ty: planner_core::model::TensorType, op: &'static str, paddings: [i64; 8]| {
        let build = |net: &mut Builder, x: TensorId, _: &mut Random| {
            let attrs = [("paddings", ints(&paddings)), ("value", AttrValue::Float(value))];
            let padded = net.apply("pad", &[x], &attrs);
            net.apply(op, &[padded], &[("filter", ints(&[2, 2])), ("stride", ints(&[1, 1]))])
        };
        same_bits(ty, build, 1).len()
    };
    let i8s = |zero| i8_type(&[1, 4, 4, 2], q(0.5, zero));
    let around = [0, 0, 1, 1, 1, 1, 0, 0];
    assert_eq!(ops_of(0.0, i8s(-128), "max_pool2d", around), 1, "nothing is less");
    assert_eq!(ops_of(0.0, i8s(-127), "max_pool2d", around), 2, "something is less");
    assert_eq!(ops_of(0.0, f32_type(&[1, 4, 4, 2]), "max_pool2d", around), 2);
    assert_eq!(ops_of(f32::MIN, f32_type(&[1, 4, 4, 2]), "max_pool2d", around), 1, "no number is less");
    assert_eq!(ops_of(0.0, i8s(-128), "avg_pool2d", around), 2, "padding does not count in a mean");
    assert_eq!(ops_of(0.0, i8s(-128), "max_pool2d", [0, 0, 2, 0, 0, 0, 0, 0]), 2, "a window lies in it alone");
    assert_eq!(ops_of(0.0, i8s(-128), "max_pool2d", [0, 0, 1, 0, 0, 0, 0, 1]), 2, "channels");
    let build = |net: &mut Builder, x: TensorId, random: &mut Random| {
        let attrs = [("paddings", ints(&around)), ("value", AttrValue::Float(1.0))];
        let padded = net.apply("pad", &[x], &attrs);
        let w = filter(net, &[3, 2, 2, 2], true, random);
        net.apply("conv2d", &[padded, w], &[])
    };
    assert_eq!(same_bits(f32_type(&[1, 4, 4, 2]), build, 1), ["pad", "conv2d"]);
}

#[test]
fn images_taken_apart_and_put_together_are_dilation() {
    let (mut folded, rounds) = (0, 100);
    for seed in 0..rounds {
        for real in [true, false] {
            let quant = q(0.05, -20);
            let ty = if real { f32_type(&[2, 7, 6, 2]) } else { i8_type(&[2, 7, 6, 2], quant.clone()) };
            let names = same_bits(
                ty,
                |net, x, random| {
                    let block = [random.int(1, 3), random.int(1, 3)];
                    let mut paddings = vec![random.int(0, 4), 0, random.int(0, 4), 0];
                    for side in 0..2 {
                        let rest = (paddings[2 * side] + [7, 6][side]) % block[side];
                        paddings[2 * side + 1] = (block[side] - rest) % block[side] + block[side] * random.int(1, 2);
                    }
                    let attrs = [("block", ints(&block)), ("paddings", ints(&paddings))];
                    let apart = net.apply("space_to_batch", &[x], &attrs);
                    let (op, dims) = random.pick(&[("conv2d", [3, 2, 2, 2]), ("depthwise_conv2d", [1, 2, 2, 4])]);
                    let w = filter(net, &dims, real, random);
                    let h = if real {
                        net.apply(op, &[apart, w], &[])
                    } else {
                        net.apply_q(op, &[apart, w], &[], quant.clone())
                    };
                    // Some crops reach beyond the padding.
                    let least = i64::from(random.one_in(3));
                    let crops = ints(&[0, 1, 2, 3].map(|side| random.int(0, paddings[side].max(least).min(2))));
                    net.apply("batch_to_space", &[h], &[("block", ints(&block)), ("crops", crops)])
                },
                seed,
            );
            folded += usize::from(names.len() == 1);
        }
    }
    assert!(folded > 60, "{folded} of {} folded", 2 * rounds);
}

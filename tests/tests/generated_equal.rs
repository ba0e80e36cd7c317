//! Generated code computes, bit for bit, what the interpreter computes of the same text.

use planner_core::infer::infer;
use planner_core::options::Options;
use planner_core::{passes, plan, steps};
use planner_dsl::files::Files;
use planner_dsl::{lower, parse};
use waterline::Network;
use waterline_tests::interpreter::{Interpreter, Placement};
use waterline_tests::random::Random;

/// Runs `network`, which was generated from `text`, and the interpreter on random inputs.
fn check(text: &str, network: &mut dyn Network) {
    let parsed = parse::parse(text.parse().unwrap());
    let (lowered, found) = lower::lower(&parsed.ast.unwrap(), &parsed.spans, &mut Files::default());
    assert!(parsed.found.0.is_empty() && found.0.is_empty(), "{}{found}", parsed.found);
    let program = steps::lower(&passes::rewrite(infer(lowered.model).unwrap(), &Options::default()).unwrap()).unwrap();
    let planned = plan::plan(program.clone(), &lowered.options).unwrap();
    assert_eq!(planned.arena_bytes, network.plan().arena_bytes);

    let mut random = Random::new(7);
    let interpreter = Interpreter::new(&program, &[]);
    let apart = Placement::apart(&program);
    let mut expecting = apart.arena(0xAAAA_AAAA);
    interpreter.reset(&apart, &mut expecting);
    let stateless = program.states.is_empty();
    for pattern in [0x00, 0xAA] {
        let inputs: Vec<Vec<u32>> = program
            .inputs
            .iter()
            .map(|input| {
                let ty = &program.tensor(input.tensor).ty;
                let mut words = vec![0; ty.bytes().div_ceil(4)];
                match ty.dtype {
                    planner_core::dtype::DType::F32 => {
                        bytemuck::cast_slice_mut(&mut words).copy_from_slice(&random.f32s(ty.shape.elements()));
                    }
                    planner_core::dtype::DType::I32 | planner_core::dtype::DType::I64 => {
                        words.fill_with(|| u32::try_from(random.size(0, 3)).unwrap());
                    }
                    planner_core::dtype::DType::Bool => words.fill_with(|| random.pick(&[0, 1, 0x0001_0100])),
                    _ => {
                        let bytes: &mut [i8] = bytemuck::cast_slice_mut(&mut words);
                        bytes[..ty.bytes()].copy_from_slice(&random.i8s(ty.bytes()));
                    }
                }
                words
            })
            .collect();
        let bytes: Vec<&[u8]> = inputs
            .iter()
            .zip(&program.inputs)
            .map(|(words, input)| &bytemuck::cast_slice(words)[..program.tensor(input.tensor).ty.bytes()])
            .collect();
        let owned: Vec<Vec<u8>> = bytes.iter().map(|bytes| bytes.to_vec()).collect();
        let expected = interpreter.run(&apart, &mut expecting, &owned);
        if stateless {
            network.arena().fill(pattern);
        }
        let outputs = network.run(&bytes, &mut ()).unwrap();
        for (index, (expected, output)) in expected.iter().zip(&program.outputs).enumerate() {
            assert_eq!(outputs.get(index), Some(&**expected), "output `{}`", output.name);
        }
    }
}

macro_rules! equal {
    ($name:ident { $($body:tt)* }) => {
        mod $name {
            waterline::graph! { pub(super) mod net { $($body)* } }

            #[test]
            fn equals_the_interpreter() {
                super::check(stringify!(mod net { $($body)* }), &mut net::Arena::new());
            }
        }
    };
}

equal! { floats {
    input image: f32[1, 9, 8, 2];
    input gains: f32[6] kept;
    input bias: f32[1, 5, 4, 6] borrowed;
    param w: f32[6, 3, 3, 2] = random(1);
    param b: f32[6] = random(2);
    param d: f32[1, 3, 3, 6] = random(3);
    param m: f32[10, 6] = random(4);
    param scale: f32[6] = random(5);
    param shift: f32[6] = random(6);
    let h = image.conv2d(w, b, stride = 2, padding = same).relu().mul(gains).add(bias);
    let s = h.depthwise_conv2d(d, padding = [1, 1, 1, 1]).tanh().sub(h);
    let p = concat(s.max_pool2d(filter = 2, stride = 2), h.avg_pool2d(filter = 2, stride = 2), axis = 3);
    let (left, right) = split(p, parts = 2, axis = 3);
    let n = left.sigmoid().layer_norm(scale, shift);
    output logits = n.mean(axes = [1, 2]).dense(m);
    output scores kept = logits.softmax();
    output largest = right.max(axes = [1, 2]).maximum(gains).leaky_relu(alpha = 0.1);
    output turned = transpose(right, perm = [0, 3, 1, 2]).pad(paddings = [0, 0, 0, 0, 1, 1, 0, 2]);
} }

equal! { integers {
    input image: i8[1, 9, 8, 2] q(0.02, 3);
    input side: i8[1, 5, 4, 6] q(0.05, -4) borrowed;
    param w: i8[6, 3, 3, 2] q([0.01, 0.02, 0.01, 0.03, 0.01, 0.02], axis = 0) = random(1);
    param d: i8[1, 3, 3, 6] q([0.01, 0.02, 0.01, 0.03, 0.01, 0.02], axis = 3) = random(3);
    param m: i8[10, 6] q(0.01, 0) = random(4);
    let h = image.conv2d(w, stride = 2, padding = same, out = i8 q(0.05, -4)).relu();
    let s: i8 q(0.1, 2) = h.depthwise_conv2d(d, padding = same);
    let both: i8 q(0.1, 2) = add(s, mul(h, side, out = i8 q(0.2, 0)));
    let p = both.max_pool2d(filter = 2, stride = 2);
    let logits: i8 q(0.2, 1) = p.global_avg_pool().flatten().dense(m);
    output scores = logits.softmax();
    output real kept = dequantize(logits);
    output squashed = sigmoid(p);
} }

equal! { functions {
    input x: f32[1, 4, 4, 2];
    input ids: i32[3];
    param alpha: f32[2] = random(2);
    param w: f32[3, 2, 2, 2] = random(3);
    let positive = x.square().add(abs(x)).sqrt();
    let curved = x.elu().gelu(approximate = true).hard_swish().prelu(alpha);
    let larger = curved.transpose_conv2d(w, stride = 2, padding = same, act = relu_n1_to_1);
    let small = larger.l2_pool2d(filter = 2).mirror_pad(paddings = [0, 0, 1, 1, 0, 1, 0, 0]);
    output resized = small.resize_bilinear(size = [3, 5], half_pixel_centers = true);
    output chosen = select(less(x, positive), div(x, positive.exp()), floor_mod(x, positive));
    output wanted kept = logical_or(greater(x, curved), logical_not(equal(x, x)));
    let deep = x.space_to_depth(block = 2);
    let (first, _second, _third, fourth) = unpack(deep.reshape(shape = [4, 8]), parts = 4);
    output rows = gather(pack(first, fourth, axis = 1), ids);
    output sums = cumsum(deep.reshape(shape = [4, 8]), axis = 1, reverse = true).log_softmax();
    output places = arg_max(deep, axis = -1).cast(to = f32);
    output cut = strided_slice(x, begin = [0, -1, 0], end = [1, 0, 4], stride = [1, -2, 3], shrink_axis_mask = 1);
    output woven = x.space_to_batch(block = [2, 2], paddings = [1, 1, 0, 0])
        .batch_to_space(block = [2, 2], crops = [0, 1, 1, 0]).tile(repeats = [1, 1, 1, 2]).reverse(axes = [1, 3]);
} }

equal! { functions_int8 {
    input x: i8[1, 4, 4, 2] q(0.05, 3);
    param alpha: i8[2] q(0.01, 0) = random(2);
    param w: i8[3, 2, 2, 2] q([0.01, 0.02, 0.03], axis = 0) = random(3);
    let curved: i8 q(0.05, 3) = x.elu().prelu(alpha, out = i8 q(0.05, 3)).hard_swish();
    let larger: i8 q(0.1, -5) = curved.transpose_conv2d(w, stride = 2, padding = valid);
    output resized = larger.resize_bilinear(size = [3, 5]);
    output quotient: i8 q(0.2, 0) = div(x, squared_difference(x, curved, out = i8 q(0.2, -128)));
    output unit = x.l2_normalize();
    output logs = larger.log_softmax();
    output less = less_equal(x, curved);
    output sums: i8 q(0.2, 0) = cumsum(x, axis = 2, exclusive = true);
    output least = larger.min(axes = [1, 2], keep_dims = true).rsqrt(out = i8 q(0.02, -100));
} }

equal! { mixed {
    plan { layout = separate, views = off }
    input ids: i32[3];
    input x: f32[3, 4];
    param table: f32[4, 4] = random(1);
    let rows = embedding(ids, table).add(x);
    let q: i8 q(0.1, 0) = quantize(rows);
    let r: i8 q(0.05, 5) = requantize(q);
    output y = dequantize(r).reshape(shape = [12]);
    output stored = r;
} }

equal! { remembering {
    input x: i8[1, 4] q(0.1, 3);
    state before: i8[1, 4] q(0.1, 3) = zeros;
    state window: i8[3, 4] q(0.1, 3) = splat(9);
    let sum: i8 q(0.1, 3) = add(x, before);
    let all = concat(window, sum, axis = 0);
    window <- slice(all, begin = [1, 0], size = [3, 4]);
    before <- maximum(sum, x);
    output y = all.mean(axes = [0]);
    output z = add(before, x, out = i8 q(0.2, 0));
} }

equal! { recurrent {
    input x: i8[1, 5] q(0.02, 3);
    input sequence: f32[1, 3, 4];
    param features: i8[4, 5] q(0.01, 0) = random(1);
    param time: i8[4, 3] q(0.02, 0) = random(2);
    param bias: i32[2] = random(3);
    param w: f32[4, 2, 4] = random(4);
    param r: f32[4, 2, 2] = random(5);
    param wi: i8[4, 3, 5] q([0.01, 0.02, 0.01, 0.03], axis = 0) = random(6);
    param ri: i8[4, 3, 3] q(0.01, 0) = random(7);
    state memory: i8[1, 12] q(0.05, -2) = zeros;
    state h: f32[1, 2] = zeros;
    state c: f32[1, 2] = zeros;
    state hi: i8[1, 3] q(0.0078125, 1) = zeros;
    state ci: i16[1, 3] q(0.00048828125, 0) = splat(300);
    let (y, memory_new) = svdf(x, features, time, memory, bias, rank = 2, act = relu, out = i8 q(0.1, -128));
    let (z, h_new, c_new) = lstm(sequence, w, r, h, c, cell_clip = 3.0);
    let (zi, hi_new, ci_new) = lstm(x.reshape(shape = [1, 1, 5]), wi, ri, hi, ci);
    memory <- memory_new;
    h <- h_new;
    c <- c_new;
    hi <- hi_new;
    ci <- ci_new;
    output filtered = y;
    output last = z;
    output last_integer = zi;
} }

equal! { dynamic {
    input image: f32[2, 3, 4, 3];
    input sequence: f32[2, 3, 4];
    param filter: i8[2, 2, 3, 3] q([0.01, 0.02], axis = 0) = random(1);
    param features: i8[4, 12] q(0.01, 0) = random(2);
    param time: f32[4, 3] = random(3);
    param w: i8[4, 2, 4] q([0.01, 0.02, 0.01, 0.03], axis = 0) = random(4);
    param r: i8[4, 2, 2] q(0.02, 0) = random(5);
    param bias: f32[4, 2] = random(6);
    state memory: f32[2, 12] = zeros;
    state h: f32[2, 2] = splat(0.5);
    state c: f32[2, 2] = zeros;
    output larger = image.transpose_conv2d(filter, stride = 2, padding = same, asymmetric = true);
    let (y, memory_new) = svdf(sequence.flatten(), features, time, memory, rank = 2, act = relu, asymmetric = true);
    let (z, h_new, c_new) = lstm(sequence, w, r, h, c, bias);
    memory <- memory_new;
    h <- h_new;
    c <- c_new;
    output filtered = y;
    output last = z;
} }

equal! { tight {
    plan { order = memory, layout = greedy_by_size }
    input x: i8[1, 3, 3, 1] q(0.1, 0);
    input y: i8[1, 3, 3, 1] q(0.1, 0);
    let a = concat(relu(x), relu(y), relu(x), axis = 3);
    let (first, second) = split(a, parts = [1, 2], axis = 3);
    output z = dequantize(first);
    output w = minimum(second, concat(y, x, axis = 3));
} }

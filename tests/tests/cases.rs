//! Small graphs that broke other systems, each with the right answer.
//!
//! Every network runs on an arena filled with zeros and with 0xAA, each time
//! again on the bytes of the first run, and all of it once more with
//! `layout = separate`: the same outputs each time.

#[macro_use]
mod common;

use waterline::plan::{Place, Plan};

/// Where the tensor called `name` lies in the arena.
fn bytes_of(plan: &Plan, name: &str) -> std::ops::Range<usize> {
    let tensor = plan.tensors.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("no tensor {name}"));
    let Place::Arena { offset } = tensor.place else { panic!("{name} is not in the arena") };
    offset..offset + tensor.size
}

fn disjoint(a: &std::ops::Range<usize>, b: &std::ops::Range<usize>) -> bool {
    a.end <= b.start || b.end <= a.start
}

/// `[f(0), f(1), ..]` as a constant.
macro_rules! table {
    ($n:expr, |$i:ident| $value:expr) => {{
        let mut table = [0.0f32; $n];
        let mut $i = 0;
        while $i < $n {
            table[$i] = $value;
            $i += 1;
        }
        table
    }};
}

#[allow(clippy::cast_precision_loss, reason = "small integers")]
mod values {
    pub(super) const A: [f32; 96] = table!(96, |k| (((k % 7) as f32) - 3.0) / 4.0);
    pub(super) const B: [f32; 58 * 96] = table!(58 * 96, |i| (((i / 96 + 2 * (i % 96)) % 5) as f32 - 2.0) / 8.0);
    pub(super) const C: [f32; 58] = table!(58, |c| (c as f32) / 16.0);
}

case!(gemm_bias {
    input a: f32[1, 96];
    param b: f32[58, 96] = crate::values::B;
    param c: f32[58] = crate::values::C;
    output y = dense(a, b, c);
});

#[test]
fn gemm_bias_is_exact() {
    on_every_arena!(gemm_bias, |net, arena| {
        let y = *net::run(arena, &values::A).y();
        assert_eq!(y[..4], [-0.375, 0.15625, 0.21875, 0.4375]);
        assert_eq!(y[57], 3.65625);
        y
    });
}

case!(tiny_mlp {
    input x: f32[1, 6];
    param w1: f32[64, 6] = random(1);
    param b1: f32[64] = random(2);
    param w2: f32[8, 64] = random(3);
    param b2: f32[8] = random(4);
    param w3: f32[4, 8] = random(5);
    param b3: f32[4] = random(6);
    param scale: f32[6] = splat(0.5);
    output y = x.mul(scale).dense(w1, b1).relu().dense(w2, b2).relu().dense(w3, b3);
});

#[test]
fn tiny_mlp_needs_no_more_than_two_layers() {
    use tiny_mlp::planned::{ARENA_BYTES, WEIGHT_BYTES};
    assert_eq!(WEIGHT_BYTES, (1004 + 6) * 4);
    assert!(ARENA_BYTES <= 288 + 6 * 4 + 4 * 4, "{ARENA_BYTES}");
    on_every_arena!(tiny_mlp, |net, arena| *net::run(arena, &[1.0, -2.0, 3.0, -4.0, 5.0, -6.0]).y());
}

case!(fire_concat {
    input x: f32[1, 4, 4, 8];
    param squeeze: f32[4, 1, 1, 8] = random(1);
    param one: f32[4, 1, 1, 4] = random(2);
    param three: f32[4, 3, 3, 4] = random(3);
    let s = x.conv2d(squeeze).relu();
    let e1 = s.conv2d(one).relu();
    let e3 = s.conv2d(three, padding = same).relu();
    output y = concat(e1, e3, axis = 3);
});

#[test]
fn fire_concat_is_made_in_place_and_not_over_what_its_parts_read() {
    use fire_concat::planned::{ARENA_BYTES, PLAN};
    assert!(ARENA_BYTES <= 768, "{ARENA_BYTES}");
    assert!(disjoint(&bytes_of(&PLAN, "y"), &bytes_of(&PLAN, "s")), "s lies under y");
    let y = PLAN.tensors.iter().position(|tensor| tensor.name == "y");
    for part in PLAN.tensors.iter().filter(|tensor| ["e1", "e3"].contains(&tensor.name)) {
        assert_eq!((part.shares.inside, part.pieces().count()), (y, 16), "{}", part.name);
    }
    on_every_arena!(fire_concat, |net, arena| *net::run(arena, &[0.25; 128]).y());
}

case!(streamed_pool {
    input x: f32[1, 125, 90, 1];
    param w1: f32[32, 3, 3, 1] = random(1);
    param b1: f32[32] = random(2);
    param w2: f32[32, 3, 3, 32] = random(3);
    param b2: f32[32] = random(4);
    param w3: f32[64, 1120] = random(5);
    param b3: f32[64] = random(6);
    param w4: f32[3, 64] = random(7);
    param b4: f32[3] = random(8);
    output y = x.conv2d(w1, b1).relu().max_pool2d(filter = 4, stride = 4)
        .conv2d(w2, b2).relu().max_pool2d(filter = 4, stride = 4)
        .flatten().dense(w3, b3).relu().dense(w4, b4).softmax();
});

#[test]
fn streamed_pool_has_the_classic_bound() {
    use streamed_pool::planned::{ARENA_BYTES, CLASSIC_BOUND_BYTES};
    assert_eq!(CLASSIC_BOUND_BYTES, 1_469_952);
    assert!(ARENA_BYTES <= CLASSIC_BOUND_BYTES);
}

case!(max_dirty {
    input x: i8[1, 2, 2, 8] q(0.5, -3);
    output y = max(x, axes = [1, 2]);
});

#[test]
fn max_does_not_see_what_was_there() {
    on_every_arena!(max_dirty, |net, arena| {
        let x: [i8; 32] = core::array::from_fn(|i| -100 - i8::try_from((i * 5) % 28).unwrap());
        let y = *net::run(arena, &x).y();
        let wanted: [i8; 8] = core::array::from_fn(|c| (0..4).map(|p| x[p * 8 + c]).max().unwrap());
        assert_eq!(y, wanted);
        y
    });
}

case!(same_input_twice {
    input x1: f32[1];
    input x2: f32[1];
    output y = x1.add(x2).add(x2);
});

#[test]
fn an_input_may_be_read_twice() {
    on_every_arena!(same_input_twice, |net, arena| {
        let y = *net::run(arena, &[7.0], &[1.0]).y();
        assert_eq!(y, [9.0]);
        y
    });
}

case!(one_tensor_twice {
    input x: f32[1, 3];
    output y = mul(x, x);
});

#[test]
fn an_operator_may_read_one_tensor_twice() {
    on_every_arena!(one_tensor_twice, |net, arena| {
        let y = *net::run(arena, &[2.0, -3.0, 4.0]).y();
        assert_eq!(y, [4.0, 9.0, 16.0]);
        y
    });
}

case!(two_inputs {
    input long: f32[1, 17];
    input short: f32[1, 7];
    param w: f32[1, 24] = splat(1);
    output y = concat(short, long, axis = 1).dense(w);
});

#[test]
fn inputs_are_bound_by_name() {
    on_every_arena!(two_inputs, |net, arena| {
        let mut frame = arena.frame();
        *frame.short() = [1.0; 7];
        *frame.long() = [2.0; 17];
        let y = *frame.run().y();
        assert_eq!(y, [41.0]);
        y
    });
}

case!(chain {
    input x: f32[1, 64];
    output y = x.sigmoid().tanh().sigmoid().tanh();
});

case!(chain_apart {
    plan { in_place = off, order = source, layout = best_fit }
    input x: f32[1, 64];
    output y = x.sigmoid().tanh().sigmoid().tanh();
});

#[test]
fn a_chain_needs_one_slot_in_place_and_two_otherwise() {
    assert_eq!(chain::planned::ARENA_BYTES, 256);
    assert_eq!(chain_apart::planned::ARENA_BYTES, 512);
    on_every_arena!(chain, |net, arena| *net::run(arena, &[0.5; 64]).y());
}

case!(early_in_place {
    input a: f32[2];
    input b: f32[2];
    input c: f32[2];
    output e = mul(b, c);
    output d = add(a, b);
});

#[test]
fn nothing_is_overwritten_before_its_last_reader() {
    on_every_arena!(early_in_place, |net, arena| {
        let outputs = net::run(arena, &[1.0, 2.0], &[3.0, 4.0], &[10.0, 20.0]);
        assert_eq!(*outputs.d(), [4.0, 6.0]);
        assert_eq!(*outputs.e(), [30.0, 80.0]);
        (*outputs.d(), *outputs.e())
    });
}

case!(concat_repeats {
    input x: f32[2];
    input y: f32[1];
    output z = concat(x, y, x, axis = 0);
});

#[test]
fn a_concat_may_repeat_a_tensor() {
    on_every_arena!(concat_repeats, |net, arena| {
        let z = *net::run(arena, &[1.0, 2.0], &[3.0]).z();
        assert_eq!(z, [1.0, 2.0, 3.0, 1.0, 2.0]);
        z
    });
}

case!(concat_strides {
    input a: f32[32, 4];
    input b: f32[32, 4];
    output y = concat(a, b, axis = 1);
});

#[test]
#[allow(clippy::cast_precision_loss, reason = "small integers")]
fn a_strided_concat_is_not_laid_over_a_part() {
    let (a, y) = (bytes_of(&concat_strides::planned::PLAN, "a"), bytes_of(&concat_strides::planned::PLAN, "y"));
    assert!(disjoint(&a, &y));
    on_every_arena!(concat_strides, |net, arena| {
        let a: [f32; 128] = core::array::from_fn(|i| i as f32);
        let b: [f32; 128] = core::array::from_fn(|i| 1000.0 + i as f32);
        let y = *net::run(arena, &a, &b).y();
        for (row, pair) in y.chunks(8).enumerate() {
            assert_eq!(pair[..4], a[4 * row..4 * row + 4]);
            assert_eq!(pair[4..], b[4 * row..4 * row + 4]);
        }
        y
    });
}

case!(view_outlives {
    input x: f32[2, 3];
    let v = x.reshape(shape = [6]);
    let square = mul(v, v);
    let total = square.sum(axes = 0, keep_dims = true);
    output y = sub(v, total);
});

#[test]
fn a_view_keeps_its_bytes() {
    let (x, square) = (bytes_of(&view_outlives::planned::PLAN, "x"), bytes_of(&view_outlives::planned::PLAN, "square"));
    assert!(disjoint(&x, &square));
    on_every_arena!(view_outlives, |net, arena| {
        let y = *net::run(arena, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).y();
        assert_eq!(y, [-90.0, -89.0, -88.0, -87.0, -86.0, -85.0]);
        y
    });
}

case!(unread_output {
    input x: f32[1, 4];
    param ten: f32[2] = splat(10);
    let neighbour = x.sigmoid();
    let (first, _) = split(x, parts = 2, axis = 1);
    output y = add(first, ten);
    output z = neighbour.relu();
});

#[test]
fn a_result_that_nobody_reads_harms_nothing() {
    on_every_arena!(unread_output, |net, arena| {
        let outputs = net::run(arena, &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(*outputs.y(), [11.0, 12.0]);
        for (z, x) in outputs.z().iter().zip([1.0f32, 2.0, 3.0, 4.0]) {
            assert!((z - 1.0 / (1.0 + (-x).exp())).abs() < 1e-6);
        }
        (*outputs.y(), *outputs.z())
    });
}

case!(input_kept {
    input x: f32[1, 8] kept;
    param w1: f32[8, 8] = random(1);
    param w2: f32[8, 8] = random(2);
    output y = x.dense(w1).dense(w2);
});

case!(input_reused {
    input x: f32[1, 8];
    param w1: f32[8, 8] = random(1);
    param w2: f32[8, 8] = random(2);
    output y = x.dense(w1).dense(w2);
});

#[test]
fn a_kept_input_is_unchanged_and_a_plain_one_is_reused() {
    assert!(input_reused::planned::ARENA_BYTES < input_kept::planned::ARENA_BYTES);
    on_every_arena!(input_kept, |net, arena| {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let y = *net::run(arena, &x).y();
        assert_eq!(*arena.frame().x(), x);
        y
    });
}

case!(ones_conv {
    input x: f32[1, 3, 3, 1];
    param w: f32[1, 3, 3, 1] = splat(1);
    output y = conv2d(x, w, padding = valid);
});

case!(same_odd {
    input x: f32[1, 5, 5, 3];
    param w: f32[1, 3, 3, 3] = splat(1);
    output y = conv2d(x, w, stride = 2, padding = same);
});

case!(same_even {
    input x: f32[1, 4, 4, 3];
    param w: f32[1, 3, 3, 3] = splat(1);
    output y = conv2d(x, w, stride = 2, padding = same);
    output z = conv2d(x, w, stride = 2, padding = [1, 1, 1, 1]);
});

#[test]
fn padding_stands_where_tflite_puts_it() {
    on_every_arena!(ones_conv, |net, arena| {
        let y = *net::run(arena, &[1.0; 9]).y();
        assert_eq!(y, [9.0]);
        y
    });
    on_every_arena!(same_odd, |net, arena| {
        let y = *net::run(arena, &[1.0; 75]).y();
        assert_eq!(y, [12.0, 18.0, 12.0, 18.0, 27.0, 18.0, 12.0, 18.0, 12.0]);
        y
    });
    on_every_arena!(same_even, |net, arena| {
        let outputs = net::run(arena, &[1.0; 48]);
        assert_eq!(*outputs.y(), [27.0, 18.0, 18.0, 12.0]);
        assert_eq!(*outputs.z(), [12.0, 18.0, 18.0, 27.0]);
        (*outputs.y(), *outputs.z())
    });
}

case!(branches {
    input x: f32[1, 4];
    let a = x.relu();
    let b = x.mul(x);
    output y = add(a, b);
});

#[test]
fn branches_are_not_a_chain() {
    on_every_arena!(branches, |net, arena| {
        let y = *net::run(arena, &[-2.0, -1.0, 1.0, 2.0]).y();
        assert_eq!(y, [4.0, 1.0, 2.0, 6.0]);
        y
    });
}

case!(softmax_large {
    input x: i8[1, 4] q(8.0, 0);
    output y = softmax(x);
});

#[test]
fn softmax_of_large_logits_is_finite() {
    on_every_arena!(softmax_large, |net, arena| {
        let y = *net::run(arena, &[127, 127, -128, 0]).y();
        assert_eq!(y, [0, 0, -128, -128]);
        y
    });
}

case!(dilation {
    input x: f32[1, 5, 5, 1];
    param w: f32[1, 3, 3, 1] = splat(1);
    output y = conv2d(x, w, dilation = 2);
    output z = x.reshape(shape = [5, 5]).softmax(beta = 2.0);
});

#[test]
#[allow(clippy::cast_precision_loss, reason = "small integers")]
fn dilation_and_beta_are_honoured() {
    on_every_arena!(dilation, |net, arena| {
        let x: [f32; 25] = core::array::from_fn(|i| i as f32);
        let outputs = net::run(arena, &x);
        let corners = [0, 2, 4, 10, 12, 14, 20, 22, 24].iter().map(|i| x[*i]).sum::<f32>();
        assert_eq!(*outputs.y(), [corners]);
        let total: f32 = (0..5).map(|i| (2.0 * i as f32).exp()).sum();
        for (i, z) in outputs.z()[..5].iter().enumerate() {
            assert!((z - (2.0 * i as f32).exp() / total).abs() < 1e-6);
        }
        (*outputs.y(), *outputs.z())
    });
}

case!(input_is_output {
    input x: f32[1, 4];
    output same = x;
    output y = relu(x);
});

#[test]
fn an_input_may_be_an_output() {
    on_every_arena!(input_is_output, |net, arena| {
        let outputs = net::run(arena, &[-1.0, 2.0, -3.0, 4.0]);
        assert_eq!(*outputs.same(), [-1.0, 2.0, -3.0, 4.0]);
        assert_eq!(*outputs.y(), [0.0, 2.0, 0.0, 4.0]);
        (*outputs.same(), *outputs.y())
    });
}

case!(output_is_used {
    input x: f32[1, 4];
    output a = sigmoid(x);
    output b = relu(a);
    output c = add(a, b);
});

#[test]
fn an_output_may_be_used() {
    on_every_arena!(output_is_used, |net, arena| {
        let outputs = net::run(arena, &[0.0; 4]);
        assert_eq!((*outputs.a(), *outputs.b(), *outputs.c()), ([0.5; 4], [0.5; 4], [1.0; 4]));
        *outputs.c()
    });
}

//! Concats along inner dimensions: kernels write their results with gaps, where the other parts lie.

#[macro_use]
mod common;

use waterline::plan::{Plan, Span, Tensor};
use waterline::{Guard, Network};

case!(channels {
    input x: f32[2, 5, 4, 4];
    param dots: f32[3, 1, 1, 4] = random(1);
    param filters: f32[6, 3, 3, 4] = random(2);
    param each: f32[1, 3, 3, 4] = random(3);
    let point = x.conv2d(dots);
    let wide = x.conv2d(filters, padding = same).relu();
    let deep = x.depthwise_conv2d(each, padding = same);
    let most = x.max_pool2d(filter = 3, stride = 1, padding = same);
    let mean = x.avg_pool2d(filter = 2, stride = 1, padding = same);
    output y = concat(point, wide, deep, x, most, mean, axis = 3);
});

case!(columns {
    input x: f32[1, 4, 6, 2];
    param filters: f32[2, 3, 3, 2] = random(4);
    let wide = x.conv2d(filters, padding = same);
    let half = x.max_pool2d(filter = 2, stride = [1, 2], padding = same);
    output y = concat(wide, half, axis = 2).relu();
});

case!(bytes {
    input x: i8[1, 5, 5, 3] q(0.05, -4);
    param dots: i8[2, 1, 1, 3] q(0.01, 0) = random(5);
    param filters: i8[5, 3, 3, 3] q(0.01, 0) = random(6);
    param each: i8[1, 3, 3, 3] q(0.01, 0) = random(7);
    let point: i8 q(0.05, -4) = x.conv2d(dots);
    let wide: i8 q(0.05, -4) = x.conv2d(filters, padding = same);
    let deep: i8 q(0.05, -4) = x.depthwise_conv2d(each, padding = same);
    let most = x.max_pool2d(filter = 3, stride = 1, padding = same);
    output y = concat(most, deep, wide, point, axis = 3);
});

case!(rows {
    input x: f32[3, 8];
    param a: f32[4, 8] = random(8);
    param b: f32[6, 8] = random(9);
    output y = concat(x.dense(a), x.dense(b), axis = 1);
});

/// The tensors of `plan` that are spread.
fn spread(plan: &'static Plan) -> Vec<&'static Tensor> {
    plan.tensors.iter().filter(|tensor| tensor.shares.spread.is_some()).collect()
}

/// Runs `arena` on bytes that differ; they stay what they are without an observer, and nothing is damaged.
fn guarded(arena: &mut dyn Network, bytes: usize) -> Vec<u8> {
    let x: Vec<u8> = (0..bytes).map(|i| u8::try_from(i * 7 % 61).unwrap()).collect();
    let mut guard = Guard::<16>::new();
    let outputs = arena.run(&[&x], &mut guard).map(|outputs| outputs.get(0).unwrap().to_vec()).unwrap();
    assert!(guard.damage().is_none(), "{}", guard.damage().unwrap());
    assert_eq!(guard.unwatched(), 0);
    assert_eq!(arena.run(&[&x], &mut ()).map(|outputs| outputs.get(0).unwrap().to_vec()), Ok(outputs.clone()));
    outputs
}

/// A case with this many spread parts computes the same as the one whose tensors are apart.
macro_rules! same_as_separate {
    ($case:ident, $parts:expr) => {{
        use $case::{planned, separate};
        let parts = spread(&planned::PLAN);
        assert_eq!(parts.len(), $parts, "{}", planned::PLAN);
        let bytes = planned::PLAN.tensors[planned::PLAN.inputs[0].tensor].size;
        let expected = guarded(&mut separate::Arena::new(), bytes);
        assert_eq!(guarded(&mut planned::Arena::new(), bytes), expected);
        parts
    }};
}

#[test]
fn channels_of_a_pixel() {
    for part in same_as_separate!(channels, 5) {
        assert_eq!(part.pieces().count(), 2 * 5 * 4, "{part}");
        assert_eq!(part.pieces().map(|piece| piece.size).sum::<usize>(), part.size, "{part}");
        assert_eq!(part.pieces().last().map(Span::end), part.span().map(Span::end), "{part}");
    }
}

#[test]
fn pixels_of_a_row() {
    for part in same_as_separate!(columns, 2) {
        assert_eq!(part.pieces().count(), 4, "{part}");
    }
}

#[test]
fn channels_of_integers() {
    same_as_separate!(bytes, 4);
}

#[test]
fn rows_of_dense_layers() {
    same_as_separate!(rows, 2);
    on_every_arena!(rows, |net, arena| *net::run(arena, &[0.5; 24]).y());
}

#[test]
fn a_spread_tensor_has_no_slice_of_values() {
    let arena = vec![0; channels::planned::ARENA_BYTES];
    assert!(spread(&channels::planned::PLAN).iter().all(|part| part.values(&arena).is_none()));
}

//! Inputs and outputs of every type of elements, alone and together in one network.

mod weights {
    /// Two outputs of four inputs, scale 1/2.
    pub const W: [i8; 8] = [2, 0, -2, 4, 0, 6, 2, -2];
    /// In steps of a quarter.
    pub const B: [i32; 2] = [4, -8];
}

waterline::graph! {
    mod every {
        input real: f32[4];
        input byte: i8[4] q(0.5, 1);
        input unsigned: u8[4] q(0.5, 128);
        input wide: i16[4] q(0.25, 0);
        input count: i32[4];
        input truth: bool[4];
        output real_out = neg(real);
        output byte_out = relu(byte);
        output unsigned_out = relu(unsigned);
        output wide_out = abs(wide);
        output count_out = abs(count);
        output truth_out = logical_not(truth);
    }
}

waterline::graph! {
    /// Real numbers in, integers inside, unsigned ones out.
    mod mixed {
        input image: f32[1, 4];
        param w: i8[2, 4] q(0.5, 0) = crate::weights::W;
        param b: i32[2] = crate::weights::B;
        let stored: i8 q(0.5, 3) = quantize(image);
        let sums = dense(stored, w, b, act = relu, out = i8 q(1.0, -10));
        output scores: u8 q(0.5, 100) = requantize(sums);
        output larger = greater(sums, stored.slice(begin = [0, 0], size = [1, 2]));
    }
}

waterline::graph! {
    mod widened {
        input logits: i8[1, 2] q(0.1, -4);
        output shares: i16 q(0.0000152587890625, -32768) = softmax(logits);
        output same: f32[1, 2] = dequantize(shares);
    }
}

#[test]
fn every_type_goes_in_and_comes_out() {
    let mut arena = every::Arena::new();
    let mut frame = arena.frame();
    *frame.real() = [1.0, -2.0, 0.5, f32::MAX];
    *frame.byte() = [-128, 0, 1, 127];
    *frame.unsigned() = [0, 127, 128, 255];
    *frame.wide() = [-32768, -1, 0, 32767];
    *frame.count() = [i32::MIN + 1, -7, 0, 9];
    *frame.truth() = [0, 1, 1, 0];
    let out = frame.run();
    assert_eq!(out.real_out(), &[-1.0, 2.0, -0.5, f32::MIN]);
    assert_eq!(out.byte_out(), &[1, 1, 1, 127]);
    assert_eq!(out.unsigned_out(), &[128, 128, 128, 255]);
    assert_eq!(out.wide_out(), &[32767, 1, 0, 32767]);
    assert_eq!(out.count_out(), &[i32::MAX, 7, 0, 9]);
    assert_eq!(out.truth_out(), &[1, 0, 0, 1]);
}

#[test]
fn the_short_form_takes_them_in_their_order() {
    let mut arena = every::Arena::new();
    let (real, byte, unsigned) = ([3.0f32; 4], [5i8; 4], [130u8; 4]);
    let (wide, count, truth) = ([-9i16; 4], [-2i32; 4], [1u8; 4]);
    let out = every::run(&mut arena, &real, &byte, &unsigned, &wide, &count, &truth);
    assert_eq!((out.real_out(), out.byte_out(), out.unsigned_out()), (&[-3.0; 4], &[5; 4], &[130; 4]));
    assert_eq!((out.wide_out(), out.count_out(), out.truth_out()), (&[9; 4], &[2; 4], &[0; 4]));
}

#[test]
fn scales_stand_beside_quantised_ports_only() {
    assert_eq!((every::Frame::UNSIGNED.zero_point, every::Frame::WIDE.scale), (128, 0.25));
    assert_eq!((mixed::Outputs::SCORES.zero_point, mixed::Outputs::SCORES.scale), (100, 0.5));
    let named = |name| every::PLAN.inputs.iter().find(|input| input.name == name).unwrap();
    let quants = ["real", "byte", "count", "truth"].map(|name| every::PLAN.tensors[named(name).tensor].quant.is_some());
    assert_eq!(quants, [false, true, false, false]);
}

#[test]
fn types_mix_in_one_network() {
    let mut arena = mixed::Arena::new();
    let mut frame = arena.frame();
    *frame.image() = [1.0, 2.0, -1.5, 4.0];
    let out = frame.run();
    // 1 * 1 + 0 + 1.5 + 4 * 2 + 1 = 11.5, halves away from zero; 2 * 3 - 1.5 - 4 - 2 = -1.5, and relu.
    assert_eq!(out.scores(), &[100 + 2 * 12, 100]);
    assert_eq!(out.larger(), &[1, 0]);
    assert_eq!(mixed::run(&mut mixed::Arena::new(), &[1.0, 2.0, -1.5, 4.0]).scores(), &[124, 100]);
}

#[test]
fn a_softmax_may_have_sixteen_bits() {
    let mut arena = widened::Arena::new();
    let out = widened::run(&mut arena, &[7, 7]);
    assert_eq!((out.shares(), out.same()), (&[0, 0], &[0.5, 0.5]));
    let out = widened::run(&mut arena, &[127, -128]);
    assert_eq!(out.shares(), &[32767, -32768]);
}

//! Quantised inputs and outputs.

use waterline::Quant;

waterline::graph! {
    mod net {
        input x: i8[4] q(0.5, -3);
        input plain: f32[4];
        let real = dequantize(x).add(plain);
        output y: i8 q(0.25, 4) = quantize(real);
        output same = x;
    }
}

#[test]
fn scales_and_zero_points_stand_beside_the_accessors() {
    assert_eq!(net::Frame::X, Quant { scale: 0.5, zero_point: -3 });
    assert_eq!(net::Outputs::Y, Quant { scale: 0.25, zero_point: 4 });
    assert_eq!(net::Outputs::SAME, net::Frame::X);
}

#[test]
fn real_numbers_go_in_and_come_out() {
    let mut arena = net::Arena::new();
    let mut frame = arena.frame();
    net::Frame::X.quantize_all(&[1.0, -1.0, 2.5, 100.0], frame.x());
    assert_eq!(frame.x(), &[-1, -5, 2, 127]);
    *frame.plain() = [0.0, 1.0, -2.5, -64.0];
    let outputs = frame.run();
    assert_eq!(outputs.y(), &[8, 4, 4, 8]);
    let mut real = [0.0; 4];
    net::Outputs::Y.dequantize_all(outputs.y(), &mut real);
    assert_eq!(real, [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn the_plan_knows_them_too() {
    let input = &net::PLAN.tensors[net::PLAN.inputs[0].tensor];
    assert_eq!(input.quant, Some(net::Frame::X));
    assert_eq!(input.to_string(), "x: i8[4] q(0.5, -3)");
}

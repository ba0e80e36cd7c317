//! A few results of TensorFlow Lite Micro itself (0.dev20261023), as an anchor for the references.

use planner_core::quant::Quant;
use waterline_tests::build::{float, i8_type, q};
use waterline_tests::operator::{Application, Arg};

const X: [i8; 16] = [-128, -100, -77, -64, -50, -33, -20, -8, -7, -6, 5, 19, 34, 58, 91, 127];
const Y: [i8; 16] = [127, 3, -128, 64, -1, 0, 17, -90, 44, -6, 100, -19, -34, 12, -91, 127];

fn i8s(scale: f32, zero_point: i32, values: &[i8; 16]) -> Arg {
    Arg::input(i8_type(&[1, 16], q(scale, zero_point)), values)
}

fn check(op: &'static str, args: &[Arg], attrs: &[(&'static str, f32)], quant: Option<Quant>, want: [i8; 16]) {
    let attrs: Vec<_> = attrs.iter().map(|(name, value)| (*name, float(*value))).collect();
    let got: Vec<i8> = Application { op, args, attrs: &attrs, quant }.result();
    assert_eq!(got, want, "{op}");
}

#[test]
fn functions_of_one_element() {
    let x = [i8s(0.047, -7, &X)];
    let to = || Some(q(0.031, 12));
    let want = [-127, -125, -119, -112, -98, -70, -38, -3, 0, 3, 35, 70, 95, 116, 125, 127];
    check("sigmoid", &x, &[], None, want);
    let want = [-127, -124, -118, -111, -97, -69, -37, -3, 0, 3, 34, 69, 94, 116, 125, 127];
    check("tanh", &[i8s(0.023, -7, &X)], &[], None, want);
    let want = [-43, -31, -20, -14, -8, 0, 6, 11, 12, 14, 30, 51, 74, 111, 127, 127];
    check("leaky_relu", &x, &[("alpha", 0.3)], to(), want);
    let want = [-128, -128, -94, -74, -53, -27, -8, 10, 12, 14, 30, 51, 74, 111, 127, 127];
    check("requantize", &x, &[], to(), want);
}

#[test]
fn functions_of_two_tensors() {
    let args = [i8s(0.047, -7, &X), i8s(0.031, 12, &Y)];
    let to = || Some(q(0.09, -20));
    let want = [-44, -72, -105, -32, -47, -38, -25, -56, -9, -26, 17, -17, -14, 14, -4, 90];
    check("add", &args, &[], to(), want);
    let want = [-123, -65, -8, -68, -38, -29, -29, 15, -31, -13, -44, 4, 17, 14, 67, 10];
    check("sub", &args, &[], to(), want);
    let want = [-128, -6, 127, -68, -11, -15, -21, -18, -20, -20, -3, -33, -51, -20, -128, 127];
    check("mul", &args, &[], to(), want);
}

#[test]
fn softmax() {
    let want = [-128, -128, -128, -128, -128, -127, -127, -127, -127, -126, -126, -124, -122, -113, -80, 46];
    check("softmax", &[i8s(0.071, 3, &X)], &[("beta", 0.5)], None, want);
}

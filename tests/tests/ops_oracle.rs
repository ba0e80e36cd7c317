//! A few results of TensorFlow Lite Micro itself (0.dev20261023), as an anchor for the references.

use planner_core::dtype::DType;
use planner_core::quant::Quant;
use waterline_tests::build::{Builder, float, i8_type, q, quantized};
use waterline_tests::interpreter::Interpreter;
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

#[test]
fn softmax_of_i8_as_i16() {
    let mut net = Builder::new();
    let x = net.input("x", i8_type(&[1, 16], q(0.071, 3)));
    let y = net.apply("softmax", &[x], &[("beta", float(0.5))]);
    net.model.tensors[y.0].declared.dtype = Some(DType::I16);
    net.output(y);
    let program = net.lower().unwrap();
    let got = Interpreter::new(&program, &[]).run_apart(&[X.map(i8::cast_unsigned).to_vec()]).remove(0);
    let want: [i16; 16] = [
        -32763, -32754, -32736, -32718, -32685, -32616, -32527, -32400, -32386, -32373, -32184, -31807, -31132, -28933,
        -20392, 11654,
    ];
    assert_eq!(got, want.map(i16::to_le_bytes).concat());
}

const X16: [i16; 16] =
    [-32768, -30000, -21000, -12345, -5000, -1234, -77, -1, 0, 1, 45, 600, 4321, 15000, 28000, 32767];
const Y16: [i16; 16] = [32767, 3, -32768, 16384, -1, 0, 17, -12345, 11000, -6, 25600, -19, -9000, 12, -23333, 32767];

fn i16s(scale: f32, values: &[i16; 16]) -> Arg {
    Arg::input(quantized(DType::I16, &[1, 16], q(scale, 0)), values)
}

fn check_i16(op: &'static str, args: &[Arg], attrs: &[(&'static str, f32)], quant: Option<Quant>, want: [i16; 16]) {
    let attrs: Vec<_> = attrs.iter().map(|(name, value)| (*name, float(*value))).collect();
    let got: Vec<i16> = Application { op, args, attrs: &attrs, quant }.result();
    assert_eq!(got, want, "{op}");
}

#[test]
fn i16_functions_of_one_element() {
    let to = || Some(q(0.0005, 0));
    let x = [i16s(0.0007, &X16)];
    let want = [34, 60, 394, 2281, 8495, 14273, 16251, 16382, 16384, 16386, 16461, 17414, 23346, 31421, 32676, 32734];
    check_i16("sigmoid", &[i16s(0.00021, &X16)], &[], None, want);
    let want = [11, 22, 193, 1534, 7465, 13935, 16230, 16382, 16384, 16386, 16474, 17582, 24304, 31948, 32733, 32757];
    check_i16("sigmoid", &[i16s(1.0 / 4096.0, &X16)], &[], None, want);
    check_i16("sigmoid", &[i16s(0.000_244_25, &X16)], &[], None, want);
    let want = [-32755, -32741, -32490, -30225, -18732, -5211, -328, -5, 0, 5, 192, 2550, 16687, 31468, 32722, 32755];
    check_i16("tanh", &[i16s(0.00013, &X16)], &[], None, want);
    let want = [-32767, -32767, -32766, -32611, -27520, -9584, -616, -8, 0, 8, 360, 4766, 25680, 32725, 32767, 32767];
    check_i16("tanh", &[i16s(1.0 / 4096.0, &X16)], &[], None, want);
    // Near a power of two.
    check_i16("tanh", &[i16s(0.000_244_25, &X16)], &[], None, want);
    let want =
        [-32767, -32767, -32767, -32767, -32275, -17658, -1232, -16, 0, 16, 720, 9335, 31818, 32767, 32767, 32767];
    check_i16("tanh", &[i16s(0.000_488_528_9, &X16)], &[], None, want);
    let want = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 55, 5187, 27505];
    check_i16("softmax", &x, &[("beta", 0.5)], None, want);
    let want = [-13763, -12600, -8820, -5185, -2100, -519, -33, -1, 0, 1, 63, 840, 6049, 21000, 32767, 32767];
    check_i16("leaky_relu", &x, &[("alpha", 0.3)], to(), want);
    let want = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 63, 840, 6049, 21000, 32767, 32767];
    check_i16("relu", &x, &[], to(), want);
    let want = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 45, 600, 4321, 8571, 8571, 8571];
    check_i16("relu6", &x, &[], None, want);
    let want = [-32768, -32768, -29400, -17283, -7000, -1728, -108, -1, 0, 1, 63, 840, 6049, 21000, 32767, 32767];
    check_i16("requantize", &x, &[], to(), want);
}

#[test]
fn i16_functions_of_two_tensors() {
    let args = [i16s(0.0007, &X16), i16s(0.0005, &Y16)];
    let want = [-5958, -19090, -28258, -409, -3182, -785, -41, -5612, 5000, -2, 11665, 373, -1341, 9551, 7212, 32767];
    check_i16("add", &args, &[], Some(q(0.0011, 0)), want);
    let want = [-32768, -19092, 1531, -15303, -3181, -785, -57, 5611, -5000, 3, -11608, 390, 6841, 9540, 28424, 5958];
    check_i16("sub", &args, &[], Some(q(0.0011, 0)), want);
    let want = [-32768, -4, 26761, -7866, 0, 0, 0, 0, 0, 0, 45, 0, -1512, 7, -25407, 32767];
    check_i16("mul", &args, &[], Some(q(0.009, 0)), want);
}

/// `LiteRT`'s reference kernels (2.3.0), where TensorFlow Lite Micro has none.
#[test]
fn i16_functions_by_samples() {
    let to = |scale| Some(q(scale, 0));
    let x = [i16s(0.0001, &X16)];
    let want = [42, 56, 136, 323, 674, 983, 1103, 1111, 1111, 1111, 1116, 1180, 1712, 4979, 18271, 29429];
    check_i16("exp", &x, &[], to(0.0009), want);
    let want = [-18, -40, -375, -1339, -1543, -556, -38, 0, 0, 1, 23, 313, 2883, 13997, 27928, 32749];
    check_i16("gelu", &x, &[], to(0.0001), want);
    let positive = X16.map(|x| x.saturating_abs().max(1));
    let want = [
        11427, 10986, 9203, 6546, 2027, -4974, -21839, -30288, -30288, -30288, -25397, -8592, 1298, 7521, 10641, 11427,
    ];
    check_i16("log", &[i16s(0.0003, &positive)], &[], to(0.0002), want);
}

#[test]
fn i16_functions_of_integers() {
    let to = || Some(q(0.0005, 0));
    let want = [32767, 32767, 29400, 17283, 7000, 1728, 108, 1, 0, 1, 63, 840, 6049, 21000, 32767, 32767];
    check_i16("abs", &[i16s(0.0007, &X16)], &[], to(), want);
    let positive = X16.map(|x| x.saturating_abs().max(1));
    let want = [418, 437, 522, 680, 1069, 2152, 8615, 32767, 32767, 32767, 11269, 3086, 1150, 617, 452, 418];
    check_i16("rsqrt", &[i16s(0.0007, &positive)], &[], to(), want);
    let args = [i16s(0.0007, &X16), i16s(0.0005, &Y16)];
    let want = [22089, 6301, 41, 4048, 175, 11, 0, 544, 432, 0, 2329, 3, 809, 1573, 13965, 614];
    check_i16("squared_difference", &args, &[], Some(q(0.07, 0)), want);
    // Where the quotient is too small the reference shifts by more bits than there are.
    let divisor: [i16; 16] =
        std::array::from_fn(|i| if X16[i].unsigned_abs().min(Y16[i].unsigned_abs()) < 20 { 77 } else { Y16[i] });
    let args = [i16s(0.0007, &X16), i16s(0.0005, &divisor)];
    let want = [-1400, -32768, 897, -1055, -32768, -22436, -1400, -18, 0, 18, 2, 10909, -672, 32767, -1680, 1400];
    check_i16("div", &args, &[], Some(q(0.001, 0)), want);
}

/// Of u8 the oracle is `LiteRT`'s reference kernels (2.3.0).
#[test]
fn u8_functions() {
    let u8s = |scale: f32, zero_point: i32, values: &[i8; 16]| {
        let values = values.map(|v| v.cast_unsigned() ^ 0x80);
        Arg::input(quantized(DType::U8, &[1, 16], q(scale, zero_point)), &values)
    };
    let check = |op, args: &[Arg], attrs: &[(&'static str, f32)], quant: Option<Quant>, want: [u8; 16]| {
        let attrs: Vec<_> = attrs.iter().map(|(name, value)| (*name, float(*value))).collect();
        assert_eq!(Application { op, args, attrs: &attrs, quant }.result::<u8>(), want, "{op}");
    };
    let x = [u8s(0.047, 121, &X)];
    check("sigmoid", &x, &[], None, [1, 3, 9, 16, 30, 58, 90, 125, 128, 131, 163, 198, 223, 244, 253, 255]);
    let want = [1, 4, 10, 17, 31, 59, 91, 125, 128, 131, 162, 197, 222, 244, 253, 255];
    check("tanh", &[u8s(0.023, 121, &X)], &[], None, want);
    let want = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 4, 6, 15, 48, 174];
    check("softmax", &[u8s(0.071, 131, &X)], &[("beta", 0.5)], None, want);
    let to = || Some(q(0.031, 140));
    let want = [85, 97, 108, 114, 120, 128, 134, 139, 140, 142, 158, 179, 202, 239, 255, 255];
    check("leaky_relu", &x, &[("alpha", 0.3)], to(), want);
    let want = [140, 140, 140, 140, 140, 140, 140, 140, 140, 142, 158, 179, 202, 239, 255, 255];
    check("relu", &x, &[], to(), want);
    let args = [u8s(0.047, 121, &X), u8s(0.031, 140, &Y)];
    let to = || Some(q(0.09, 108));
    let want = [84, 56, 23, 96, 81, 90, 103, 72, 119, 102, 145, 111, 114, 142, 124, 218];
    check("add", &args, &[], to(), want);
    let want = [5, 63, 120, 60, 90, 99, 99, 143, 97, 115, 84, 132, 145, 142, 195, 138];
    check("sub", &args, &[], to(), want);
    let want = [0, 122, 255, 60, 117, 113, 107, 110, 108, 108, 125, 95, 77, 108, 0, 255];
    check("mul", &args, &[], to(), want);
    let x = [u8s(0.047, 131, &X)];
    let want = [12, 12, 12, 12, 11, 10, 7, 7, 7, 7, 14, 31, 56, 95, 145, 200];
    check("gelu", &x, &[], Some(q(0.031, 12)), want);
    let want = [120, 120, 120, 120, 113, 108, 109, 113, 114, 114, 122, 135, 155, 198, 253, 255];
    check("hard_swish", &x, &[], Some(q(0.031, 120)), want);
    let want = [65, 78, 90, 96, 103, 111, 117, 123, 123, 124, 129, 136, 143, 154, 170, 188];
    check("l2_normalize", &x, &[], None, want);
    let divisor = Y.map(|y| y.max(2));
    let want = [84, 0, 0, 84, 11, 39, 85, 81, 97, 85, 100, 127, 152, 146, 248, 115];
    check("div", &[x[0].clone(), u8s(0.031, 120, &divisor)], &[], Some(q(0.09, 100)), want);
    let want = [1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0];
    check("less", &[x[0].clone(), u8s(0.031, 120, &Y)], &[], None, want);
    let axis = [("axis", waterline_tests::build::int(0))];
    let joined: Vec<u8> = Application { op: "concat", args: &args, attrs: &axis, quant: Some(q(0.04, 130)) }.result();
    let want = [
        0, 21, 48, 63, 79, 99, 115, 129, 130, 131, 144, 161, 178, 206, 245, 255, 219, 123, 21, 170, 120, 121, 134, 51,
        155, 116, 198, 106, 94, 130, 50, 219,
    ];
    assert_eq!(joined, want);
}

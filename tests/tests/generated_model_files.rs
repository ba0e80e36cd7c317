//! Networks from model files as generated code.

use planner_core::import::{Bindings, Options, Size, tflite};
use planner_core::model::TensorId;
use planner_core::source::Src;
use planner_core::steps::{self, Program};
use planner_core::{infer, options, passes};
use waterline::Network;
use waterline::plan::{InputMode, Place};
use waterline_tests::interpreter::Interpreter;
use waterline_tests::random::Random;

waterline::graph! {
    /// An open batch, bound.
    mod float = "../fuzz/seeds/tflite/float.tflite" {
        plan { budget = 1 KiB, order = memory }
        bind(batch = 3);
        /// The picture.
        input image: borrowed;
        output scores: kept;
    }
}

waterline::graph! {
    mod int8 = "../fuzz/seeds/tflite/int8.tflite";
}

waterline::graph! {
    /// Its integers, given and shown as such.
    mod integers = "../fuzz/seeds/tflite/int8.tflite" {
        input x: quantized borrowed;
        output y: quantized;
    }
}

waterline::graph! {
    mod parts = "../fuzz/seeds/tflite/parts.tflite" { input x: kept; }
}

waterline::graph! {
    mod shapes = "../fuzz/seeds/tflite/shapes.tflite" {}
}

/// What the macro imports of `file`, as steps.
fn program(file: &[u8], bindings: &Bindings) -> Program {
    let options = Options { name: "net", src: Src(0), bindings, is_reserved: |_| false };
    let model = tflite::import(file, &options).unwrap();
    steps::lower(&passes::rewrite(infer::infer(model).unwrap(), &options::Options::default()).unwrap()).unwrap()
}

/// Runs `network` and the interpreter of `program` on the same inputs: the outputs, which must be equal.
fn run(network: &mut impl Network, program: &Program, inputs: &[Vec<u32>]) -> Vec<Vec<u8>> {
    let inputs: Vec<Vec<u8>> = inputs.iter().map(|input| bytemuck::cast_slice(input).to_vec()).collect();
    let slices: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let outputs = network.run(&slices, &mut ()).unwrap();
    let outputs: Vec<Vec<u8>> = (0..program.outputs.len()).map(|i| outputs.get(i).unwrap().to_vec()).collect();
    assert_eq!(outputs, Interpreter::new(program, &[]).run_apart(&inputs));
    outputs
}

fn floats(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn a_bound_batch_and_modes_reach_the_interface() {
    let size = Size { elements: 3, src: Src(0) };
    let bindings = Bindings { batch: Some(size), ..Bindings::default() };
    let program = program(include_bytes!("../../fuzz/seeds/tflite/float.tflite"), &bindings);
    let image: [f32; 75] = Random::new(1).f32s(75).try_into().unwrap();
    let mut arena = float::Arena::new();
    let bytes = run(&mut arena, &program, &[floats(&image)]);
    let scores: [f32; 6] = *float::run(&mut arena, &image).scores();
    assert_eq!(bytemuck::bytes_of(&scores), bytes[0]);
    assert_eq!(arena.frame(&image).scores(), &scores);
    let plan = &float::PLAN;
    assert_eq!((plan.inputs[0].name, plan.inputs[0].mode), ("image", InputMode::Borrowed));
    assert!(matches!(plan.tensors[plan.inputs[0].tensor].place, Place::Borrowed { .. }));
    assert!(plan.outputs[0].kept);
}

#[test]
fn a_quantised_file_runs_as_interpreted() {
    let program = program(include_bytes!("../../fuzz/seeds/tflite/int8.tflite"), &Bindings::default());
    let mut arena = int8::Arena::new();
    for seed in 0..20 {
        run(&mut arena, &program, &[floats(&Random::new(seed).f32s(18))]);
    }
    // Weights are called as in the file.
    assert!(int8::PLAN.steps.iter().any(|step| step.name == "h" && step.op == "depthwise_conv2d"));
}

#[test]
fn integers_go_in_and_out_as_the_file_has_them_within() {
    let program = program(include_bytes!("../../fuzz/seeds/tflite/int8.tflite"), &Bindings::default());
    let [quantize, .., dequantize] = &program.steps[..] else { panic!("several steps") };
    let quant = |id: TensorId| program.tensor(id).ty.quant.clone().unwrap();
    let (given, shown) = (quant(quantize.writes[0]), quant(dequantize.reads[0]));
    let mut arena = integers::Arena::new();
    for seed in 0..20 {
        let x: [i8; 18] = Random::new(seed).i8s(18).try_into().unwrap();
        let real = x.map(|x| given.scale(0) * (i32::from(x) - given.zero_point()) as f32);
        let y = integers::run(&mut arena, &x).y().map(|y| shown.scale(0) * (i32::from(y) - shown.zero_point()) as f32);
        let bytes = run(&mut int8::Arena::new(), &program, &[floats(&real)]);
        assert_eq!(bytemuck::cast_slice::<f32, u8>(&y), bytes[0]);
    }
    assert_eq!(integers::STEPS, int8::STEPS - 2);
    assert!(integers::ARENA_BYTES < int8::ARENA_BYTES);
}

#[test]
fn several_outputs_come_in_the_order_of_the_file() {
    let program = program(include_bytes!("../../fuzz/seeds/tflite/parts.tflite"), &Bindings::default());
    let x: [f32; 12] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0];
    let mut arena = parts::Arena::new();
    run(&mut arena, &program, &[floats(&x)]);
    let outputs = parts::run(&mut arena, &x);
    assert_eq!((outputs.y(), outputs.z()), (&[0.0, 0.0, 1.0, 2.0, 3.0, 5.0], &[0.0, 6.0, 6.0, 6.0, 6.0, 6.0]));
    assert_eq!(arena.frame().x(), &x);
}

#[test]
fn folded_shapes_leave_nothing_behind() {
    let program = program(include_bytes!("../../fuzz/seeds/tflite/shapes.tflite"), &Bindings::default());
    let mut arena = shapes::Arena::new();
    run(&mut arena, &program, &[vec![2, 0, 1, 1]]);
    let ops: Vec<&str> = shapes::PLAN.steps.iter().map(|step| step.op).collect();
    assert_eq!(ops, ["gather", "transpose", "matmul"]);
}

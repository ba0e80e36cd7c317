//! Operators with state against their definitions.

use planner_core::dtype::DType;
use planner_core::model::TensorType;
use planner_core::quant::Quant;
use waterline_tests::build::{f32_type, i8_type, int, name, q, shape};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::recurrent::{SvdfInt, svdf_f32};

fn i16_type(dims: &[usize], quant: Quant) -> TensorType {
    TensorType { dtype: DType::I16, shape: shape(dims), quant: Some(quant) }
}

fn i32_type(dims: &[usize]) -> TensorType {
    TensorType::plain(DType::I32, shape(dims))
}

fn wide<T: Copy + Into<i32>>(values: &[T]) -> Vec<i32> {
    values.iter().map(|v| (*v).into()).collect()
}

fn elements<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

#[test]
fn svdf_of_integers() {
    let mut random = Random::new(11);
    for case in 0..300 {
        let [batch, inputs, units, rank, memory] =
            [random.size(1, 2), random.size(1, 12), random.size(1, 5), random.size(1, 3), random.size(1, 9)];
        let filters = units * rank;
        let zero = |random: &mut Random| i32::try_from(random.int(-128, 127)).unwrap();
        let (x_zero, y_zero) = (zero(&mut random), zero(&mut random));
        let scales: [f32; 5] = [0.02, 0.01, 0.01, 0.05, 0.03].map(|scale| random.scale(scale / 3.0, scale * 3.0));
        let (x, features) = (random.i8s(batch * inputs), random.i8s(filters * inputs));
        let bias: Vec<i32> = (0..units).map(|_| i32::try_from(random.int(-2000, 2000)).unwrap()).collect();
        let (time, state) = (random.i8s(filters * memory), random.i8s(batch * filters * memory));
        let relu = random.one_in(2);
        let wide_state = random.one_in(2);
        let state_zero = if wide_state { 0 } else { zero(&mut random) };
        let dims = [batch, filters * memory];
        let [state_q, time_q] = [q(scales[3], state_zero), q(scales[2], 0)];
        let scaled = |values: &[i8]| -> Vec<i16> { values.iter().map(|v| i16::from(*v) * 200).collect() };
        let (time_arg, state_arg, time, state) = if wide_state {
            let (time, state) = (scaled(&time), scaled(&state));
            let arg = Arg::param(i16_type(&[filters, memory], time_q), &time);
            (arg, Arg::input(i16_type(&dims, state_q), &state), wide(&time), wide(&state))
        } else {
            let arg = Arg::param(i8_type(&[filters, memory], time_q), &time);
            (arg, Arg::input(i8_type(&dims, state_q), &state), wide(&time), wide(&state))
        };
        let reference = SvdfInt {
            rank,
            inputs,
            memory,
            features: &features,
            time: &time,
            bias: &bias,
            scales,
            zero_points: [x_zero, state_zero, y_zero],
            range: if wide_state { [-32768, 32767] } else { [-128, 127] },
            min: if relu { y_zero } else { -128 },
        };
        let (wanted, wanted_state) = reference.run(&x, &state);
        let application = Application {
            op: "svdf",
            args: &[
                Arg::input(i8_type(&[batch, inputs], q(scales[0], x_zero)), &x),
                Arg::param(i8_type(&[filters, inputs], q(scales[1], 0)), &features),
                time_arg,
                state_arg,
                Arg::param(i32_type(&[units]), &bias),
            ],
            attrs: &[("rank", int(rank.try_into().unwrap())), ("act", name(if relu { "relu" } else { "none" }))],
            quant: Some(q(scales[4], y_zero)),
        };
        let results = application.run();
        assert_eq!(elements::<i8>(&results[0]), wanted, "case {case}");
        let new = if wide_state { wide(&elements::<i16>(&results[1])) } else { wide(&elements::<i8>(&results[1])) };
        assert_eq!(new, wanted_state, "state of case {case}");
    }
}

#[test]
fn svdf_of_floats() {
    let mut random = Random::new(12);
    for case in 0..200 {
        let [batch, inputs, units, rank, memory] =
            [random.size(1, 2), random.size(1, 12), random.size(1, 5), random.size(1, 3), random.size(1, 9)];
        let filters = units * rank;
        let [x, features, time] = [batch * inputs, filters * inputs, filters * memory].map(|n| random.f32s(n));
        let (state, bias) = (random.f32s(batch * filters * memory), random.f32s(units));
        let (wanted, wanted_state) = svdf_f32([rank, inputs, memory], [&x, &state, &features, &time, &bias]);
        let results = Application {
            op: "svdf",
            args: &[
                Arg::input(f32_type(&[batch, inputs]), &x),
                Arg::param(f32_type(&[filters, inputs]), &features),
                Arg::param(f32_type(&[filters, memory]), &time),
                Arg::input(f32_type(&[batch, filters * memory]), &state),
                Arg::param(f32_type(&[units]), &bias),
            ],
            attrs: &[("rank", int(rank.try_into().unwrap()))],
            quant: None,
        }
        .run();
        for (got, wanted) in [(&results[0], wanted), (&results[1], wanted_state)] {
            for (got, wanted) in elements::<f32>(got).iter().zip(wanted) {
                assert!(
                    (f64::from(*got) - wanted).abs() < 1e-5 * wanted.abs().max(1.0),
                    "case {case}: {got}, {wanted}"
                );
            }
        }
    }
}

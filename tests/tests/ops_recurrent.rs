//! Operators with state against their definitions.

use planner_core::dtype::DType;
use planner_core::model::TensorType;
use planner_core::quant::Quant;
use waterline_tests::build::{f32_type, flag, float, i8_type, int, name, q, shape};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::recurrent::{Lstm, SvdfInt, svdf_f32};
use waterline_tests::reference::types::dynamic;

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
        let scaled = |values: &[i8]| -> Vec<i16> { values.iter().map(|v| i16::from(*v) * 20).collect() };
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

/// Rows as what the integers stand for that a layer makes of them.
fn rows(x: &[f32], width: usize, asymmetric: bool) -> Vec<f32> {
    x.chunks(width).flat_map(|row| dynamic(row, asymmetric).reals()).collect()
}

/// As that of f32 over what the integers stand for.
#[test]
fn svdf_of_floats_with_i8_features() {
    let mut random = Random::new(15);
    for case in 0..200 {
        let [batch, inputs, units, rank, memory] =
            [random.size(1, 2), random.size(1, 12), random.size(1, 5), random.size(1, 3), random.size(1, 9)];
        let filters = units * rank;
        let [x, time, state, bias] =
            [batch * inputs, filters * memory, batch * filters * memory, units].map(|n| random.f32s(n));
        let (features, scale) = (random.i8s(filters * inputs), random.scale(0.002, 0.02));
        let asymmetric = random.one_in(2);
        let results = Application {
            op: "svdf",
            args: &[
                Arg::input(f32_type(&[batch, inputs]), &x),
                Arg::param(i8_type(&[filters, inputs], q(scale, 0)), &features),
                Arg::param(f32_type(&[filters, memory]), &time),
                Arg::input(f32_type(&[batch, filters * memory]), &state),
                Arg::param(f32_type(&[units]), &bias),
            ],
            attrs: &[("rank", int(rank.try_into().unwrap())), ("asymmetric", flag(asymmetric))],
            quant: None,
        }
        .run();
        let (x, features) = (rows(&x, inputs, asymmetric), features.iter().map(|w| f32::from(*w) * scale));
        let features: Vec<f32> = features.collect();
        let (wanted, wanted_state) = svdf_f32([rank, inputs, memory], [&x, &state, &features, &time, &bias]);
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

/// A layer of random sizes, and its attributes.
fn lstm(random: &mut Random) -> ([usize; 4], bool, f32) {
    let sizes = [random.size(1, 3), random.size(1, 6), random.size(1, 7), random.size(1, 6)];
    (sizes, random.one_in(2), if random.one_in(3) { 0.5 } else { 0.0 })
}

fn ordered(dims: [usize; 3], time_major: bool) -> [usize; 3] {
    if time_major { [dims[1], dims[0], dims[2]] } else { dims }
}

fn limit(clip: f32) -> f64 {
    if clip > 0.0 { clip.into() } else { f64::INFINITY }
}

#[test]
fn lstm_of_floats() {
    let mut random = Random::new(13);
    for case in 0..200 {
        let (sizes, time_major, clip) = lstm(&mut random);
        let [batch, steps, inputs, units] = sizes;
        let [x, weights, recurrent, bias] =
            [batch * steps * inputs, 4 * units * inputs, 4 * units * units, 4 * units].map(|n| random.f32s(n));
        let [hidden, cell] = [batch * units; 2].map(|n| random.f32s(n));
        let wide = |v: &[f32]| -> Vec<f64> { v.iter().map(|v| f64::from(*v)).collect() };
        let (w, r, b) = (wide(&weights), wide(&recurrent), wide(&bias));
        let reference = Lstm { sizes, time_major, clip: limit(clip), weights: &w, recurrent: &r, bias: &b };
        let wanted = reference.run(&wide(&x), &wide(&hidden), &wide(&cell));
        let results = Application {
            op: "lstm",
            args: &[
                Arg::input(f32_type(&ordered([batch, steps, inputs], time_major)), &x),
                Arg::param(f32_type(&[4, units, inputs]), &weights),
                Arg::param(f32_type(&[4, units, units]), &recurrent),
                Arg::input(f32_type(&[batch, units]), &hidden),
                Arg::input(f32_type(&[batch, units]), &cell),
                Arg::param(f32_type(&[4, units]), &bias),
            ],
            attrs: &[("time_major", flag(time_major)), ("cell_clip", float(clip))],
            quant: None,
        }
        .run();
        for (got, wanted) in results.iter().zip(&wanted) {
            for (got, wanted) in elements::<f32>(got).iter().zip(wanted) {
                assert!((f64::from(*got) - wanted).abs() < 1e-5, "case {case}: {got}, {wanted}");
            }
        }
    }
}

/// As that of f32 over what the integers stand for, an element of the sequences at a time.
#[test]
fn lstm_of_floats_with_i8_weights() {
    let mut random = Random::new(16);
    for case in 0..200 {
        let (sizes, time_major, clip) = lstm(&mut random);
        let [batch, steps, inputs, units] = sizes;
        let (x, asymmetric) = (random.f32s(batch * steps * inputs), random.one_in(2));
        let [weights, recurrent] = [inputs, units].map(|count| random.i8s(4 * units * count));
        let scales = [0; 2].map(|_| [0; 4].map(|_| random.scale(0.002, 0.02)));
        let bias = random.f32s(4 * units);
        let mut states = [0; 2].map(|_| random.f32s(batch * units));
        let quant = |scales: [f32; 4]| Quant::new(scales.to_vec(), vec![0; 4], Some(0)).unwrap();
        let results = Application {
            op: "lstm",
            args: &[
                Arg::input(f32_type(&ordered([batch, steps, inputs], time_major)), &x),
                Arg::param(i8_type(&[4, units, inputs], quant(scales[0])), &weights),
                Arg::param(i8_type(&[4, units, units], quant(scales[1])), &recurrent),
                Arg::input(f32_type(&[batch, units]), &states[0]),
                Arg::input(f32_type(&[batch, units]), &states[1]),
                Arg::param(f32_type(&[4, units]), &bias),
            ],
            attrs: &[("time_major", flag(time_major)), ("cell_clip", float(clip)), ("asymmetric", flag(asymmetric))],
            quant: None,
        }
        .run();
        let gates = |v: &[i8], scales: [f32; 4]| -> Vec<f64> {
            let gate = v.len() / 4;
            v.iter().enumerate().map(|(i, v)| f64::from(*v) * f64::from(scales[i / gate])).collect()
        };
        let wide = |v: &[f32]| -> Vec<f64> { v.iter().map(|v| f64::from(*v)).collect() };
        let (w, r, b) = (gates(&weights, scales[0]), gates(&recurrent, scales[1]), wide(&bias));
        let sizes = [batch, 1, inputs, units];
        let reference = Lstm { sizes, time_major, clip: limit(clip), weights: &w, recurrent: &r, bias: &b };
        let got = elements::<f32>(&results[0]);
        // A hidden value that lies where rounding turns may come out of the other half of a step.
        let near = |got: f32, wanted: f64| (f64::from(got) - wanted).abs() < 1e-2;
        for step in 0..steps {
            let place = |sequence: usize| if time_major { step * batch + sequence } else { sequence * steps + step };
            let x: Vec<f32> = (0..batch).flat_map(|s| x[place(s) * inputs..][..inputs].to_vec()).collect();
            let [x, hidden] = [(&x, inputs), (&states[0], units)].map(|(v, width)| wide(&rows(v, width, asymmetric)));
            let [y, _, cell] = reference.run(&x, &hidden, &wide(&states[1]));
            for sequence in 0..batch {
                let got = &got[place(sequence) * units..][..units];
                let tight = step > 0
                    || got.iter().zip(&y[sequence * units..]).all(|(got, y)| (f64::from(*got) - y).abs() < 1e-5);
                assert!(tight, "case {case}");
                assert!(got.iter().zip(&y[sequence * units..]).all(|(got, y)| near(*got, *y)), "case {case}");
            }
            #[allow(clippy::cast_possible_truncation, reason = "the layer's own type")]
            let narrow = |v: &[f64]| -> Vec<f32> { v.iter().map(|v| *v as f32).collect() };
            // What the layer itself went on from.
            states[0] = (0..batch).flat_map(|s| got[place(s) * units..][..units].to_vec()).collect();
            states[1] = narrow(&cell);
        }
    }
}

/// Not bit for bit, which the models of the zoo are, but every scale and zero point counts.
#[test]
fn lstm_of_integers_is_near_the_real_one() {
    let mut random = Random::new(14);
    for case in 0..200 {
        let (sizes, time_major, clip) = lstm(&mut random);
        let [batch, steps, inputs, units] = sizes;
        let zero = |random: &mut Random| i32::try_from(random.int(-60, 60)).unwrap();
        let (x_q, hidden_q) = (q(random.scale(0.005, 0.02), zero(&mut random)), q(1.0 / 100.0, zero(&mut random)));
        let cell_q = q(2f32.powi(i32::try_from(random.int(-14, -11)).unwrap()), 0);
        let per_gate = random.one_in(2);
        let scales = |random: &mut Random| -> Vec<f32> {
            (0..if per_gate { 4 } else { 1 }).map(|_| random.scale(0.002, 0.01)).collect()
        };
        let (w_scales, r_scales) = (scales(&mut random), scales(&mut random));
        let gate_quant = |scales: &[f32]| {
            let axis = per_gate.then_some(0);
            Quant::new(scales.to_vec(), vec![0; scales.len()], axis).unwrap()
        };
        let [x, weights, recurrent] =
            [batch * steps * inputs, 4 * units * inputs, 4 * units * units].map(|n| random.i8s(n));
        let hidden = random.i8s(batch * units);
        let cell: Vec<i16> = random.i8s(batch * units).iter().map(|v| i16::from(*v) * 16).collect();
        let bias: Vec<i32> = (0..4 * units).map(|_| i32::try_from(random.int(-3000, 3000)).unwrap()).collect();
        let real = |v: i32, quant: &Quant| f64::from(v - quant.zero_point()) * f64::from(quant.scale(0));
        let reals = |v: &[i8], quant: &Quant| -> Vec<f64> { v.iter().map(|v| real((*v).into(), quant)).collect() };
        let of_gate = |scales: &[f32], gate: usize| f64::from(scales[gate % scales.len()]);
        let gates = |v: &[i8], scales: &[f32]| -> Vec<f64> {
            let gate = v.len() / 4;
            v.iter().enumerate().map(|(i, v)| f64::from(*v) * of_gate(scales, i / gate)).collect()
        };
        let (w, r) = (gates(&weights, &w_scales), gates(&recurrent, &r_scales));
        let bias_real = |(i, b): (usize, &i32)| f64::from(*b) * f64::from(x_q.scale(0)) * of_gate(&w_scales, i / units);
        let b: Vec<f64> = bias.iter().enumerate().map(bias_real).collect();
        let reference = Lstm { sizes, time_major, clip: limit(clip), weights: &w, recurrent: &r, bias: &b };
        let cells: Vec<f64> = cell.iter().map(|c| real((*c).into(), &cell_q)).collect();
        let wanted = reference.run(&reals(&x, &x_q), &reals(&hidden, &hidden_q), &cells);
        let results = Application {
            op: "lstm",
            args: &[
                Arg::input(i8_type(&ordered([batch, steps, inputs], time_major), x_q), &x),
                Arg::param(i8_type(&[4, units, inputs], gate_quant(&w_scales)), &weights),
                Arg::param(i8_type(&[4, units, units], gate_quant(&r_scales)), &recurrent),
                Arg::input(i8_type(&[batch, units], hidden_q.clone()), &hidden),
                Arg::input(i16_type(&[batch, units], cell_q), &cell),
                Arg::param(i32_type(&[4, units]), &bias),
            ],
            attrs: &[("time_major", flag(time_major)), ("cell_clip", float(clip))],
            quant: Some(hidden_q.clone()),
        }
        .run();
        for (got, wanted) in elements::<i8>(&results[0]).iter().zip(&wanted[0]) {
            let nearest = wanted.clamp(real(-128, &hidden_q), real(127, &hidden_q));
            let got = real((*got).into(), &hidden_q);
            assert!((got - nearest).abs() < 0.04, "case {case}: {got}, {nearest}");
        }
        assert!(results[0].ends_with(&results[1][results[1].len() - units..]) || time_major, "case {case}");
    }
}

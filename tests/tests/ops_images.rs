//! Bilinear resizing, transposed convolution and the root of mean squares, against their definitions.

use planner_core::dtype::DType;
use planner_core::ops::AttrValue;
use planner_core::quant::Quant;
use waterline_tests::build::{f32_type, flag, i8_type, ints, name, q, quantized};
use waterline_tests::integers::{bytes, integers};
use waterline_tests::operator::{Application, Arg};
use waterline_tests::random::Random;
use waterline_tests::reference::image::{Padding, Sliding};
use waterline_tests::reference::interpolate::Resize;
use waterline_tests::reference::layer::{LayerI8, Products, layer_f32};
use waterline_tests::reference::types::dynamic;

const CASES: u64 = 200;

#[test]
fn resize_bilinear_lies_between_pixels() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let dims = [random.size(1, 2), random.size(1, 6), random.size(1, 6), random.size(1, 3)];
        let size = [random.size(1, 12), random.size(1, 12)];
        let (align_corners, half_pixel_centers) = random.pick(&[(false, false), (true, false), (false, true)]);
        let resize = Resize { dims, size, align_corners, half_pixel_centers };
        let attrs = [
            ("size", ints(&size.map(|size| i64::try_from(size).unwrap()))),
            ("align_corners", flag(align_corners)),
            ("half_pixel_centers", flag(half_pixel_centers)),
        ];
        let count = dims.iter().product();
        let run = |dtype, x: Vec<u8>| {
            let args = [Arg::Input(quantized(dtype, &dims, q(0.5, 0)), x)];
            Application { op: "resize_bilinear", args: &args, attrs: &attrs, quant: None }.run().remove(0)
        };
        for dtype in [DType::I8, DType::I16] {
            let (x, numbers) = integers(&mut random, dtype, count);
            assert_eq!(run(dtype, x), bytes(dtype, &resize.bilinear_int(&numbers)), "{dtype}, {resize:?}");
        }
        let (x, _) = integers(&mut random, DType::U8, count);
        let reals: Vec<f32> = x.iter().map(|x| f32::from(*x)).collect();
        for (got, want) in run(DType::U8, x).into_iter().zip(resize.bilinear_f32(&reals)) {
            assert!((f64::from(got) - want).abs() <= 0.501, "{got}, not {want}, {resize:?}");
        }
        let x = random.f32s(count);
        let args = [Arg::input(f32_type(&dims), &x)];
        let got: Vec<f32> = Application { op: "resize_bilinear", args: &args, attrs: &attrs, quant: None }.result();
        for (got, want) in got.into_iter().zip(resize.bilinear_f32(&x)) {
            assert!((f64::from(got) - want).abs() <= 1e-5, "{got}, not {want}, {resize:?}");
        }
    }
}

/// A transposed convolution: the convolution that it turns around, and its channels.
struct Transposed {
    forward: Sliding,
    outputs: usize,
    attrs: Vec<(&'static str, AttrValue)>,
    act: &'static str,
}

impl Transposed {
    fn new(random: &mut Random) -> Self {
        loop {
            let (word, padding) =
                random.pick(&[("same", Padding::Same), ("valid", Padding::Valid), ("", Padding::Valid)]);
            let sides = std::array::from_fn(|_| random.size(0, 2));
            let padding = if word.is_empty() { Padding::Explicit(sides) } else { padding };
            let forward = Sliding {
                batch: random.size(1, 2),
                image: [random.size(1, 7), random.size(1, 7)],
                // Those of the argument, which is the convolution's result.
                channels: random.size(1, 4),
                filter: [random.size(1, 4), random.size(1, 4)],
                stride: [random.size(1, 3), random.size(1, 3)],
                dilation: [1, 1],
                padding,
            };
            let signed = |list: &[usize]| ints(&list.iter().map(|&v| i64::try_from(v).unwrap()).collect::<Vec<_>>());
            let act = random.pick(&["none", "relu", "relu6"]);
            let attrs = vec![
                ("stride", signed(&forward.stride)),
                ("size", signed(&forward.image)),
                ("padding", if word.is_empty() { signed(&sides) } else { name(word) }),
                ("act", name(act)),
            ];
            if forward.fits() {
                return Self { forward, outputs: random.size(1, 4), attrs, act };
            }
        }
    }

    fn dims(&self) -> [[usize; 4]; 3] {
        let (slide, [height, width]) = (&self.forward, self.forward.output());
        let x = [slide.batch, height, width, slide.channels];
        let w = [self.outputs, slide.filter[0], slide.filter[1], slide.channels];
        [x, w, [slide.batch, slide.image[0], slide.image[1], self.outputs]]
    }

    /// Each tap of the convolution, backwards: from its position to its pixel.
    fn products(&self) -> Products {
        let [_, w, y] = self.dims();
        let mut products = vec![Vec::new(); y.iter().product()];
        let taps = w[1] * w[2];
        for tap in self.forward.taps() {
            for output in 0..self.outputs {
                for input in 0..self.forward.channels {
                    let weight = (output * taps + tap.tap) * self.forward.channels + input;
                    products[tap.pixel * self.outputs + output]
                        .push([tap.position * self.forward.channels + input, weight]);
                }
            }
        }
        products
    }
}

#[test]
fn transposed_convolution_of_f32() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let conv = Transposed::new(&mut random);
        let [x_dims, w_dims, _] = conv.dims();
        let (x, w) = (random.f32s(x_dims.iter().product()), random.f32s(w_dims.iter().product()));
        let bias = random.one_in(2).then(|| random.f32s(conv.outputs));
        let mut args = vec![Arg::input(f32_type(&x_dims), &x), Arg::param(f32_type(&w_dims), &w)];
        args.extend(bias.as_ref().map(|bias| Arg::param(f32_type(&[conv.outputs]), bias)));
        let application = Application { op: "transpose_conv2d", args: &args, attrs: &conv.attrs, quant: None };
        let got: Vec<f32> = application.result();
        let want = layer_f32(&conv.products(), &x, &w, bias.as_deref(), conv.act);
        for (got, [want, tolerance]) in got.into_iter().zip(want) {
            assert!((f64::from(got) - want).abs() <= tolerance, "{got}, not {want}, seed {seed}");
        }
    }
}

/// As that of f32 over what the integers stand for.
#[test]
fn transposed_convolution_of_f32_with_i8_weights() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let mut conv = Transposed::new(&mut random);
        let [x_dims, w_dims, _] = conv.dims();
        let (x, w) = (random.f32s(x_dims.iter().product()), random.i8s(w_dims.iter().product()));
        let scales: Vec<f32> = (0..conv.outputs).map(|_| random.scale(0.001, 0.1)).collect();
        let per_channel = random.one_in(2);
        let scale = |channel: usize| if per_channel { scales[channel] } else { scales[0] };
        let quant = if per_channel {
            Quant::new(scales.clone(), vec![0; conv.outputs], Some(0)).unwrap()
        } else {
            q(scales[0], 0)
        };
        let asymmetric = random.one_in(2);
        conv.attrs.push(("asymmetric", flag(asymmetric)));
        let bias = random.f32s(conv.outputs);
        let args = [
            Arg::input(f32_type(&x_dims), &x),
            Arg::param(i8_type(&w_dims, quant), &w),
            Arg::param(f32_type(&[conv.outputs]), &bias),
        ];
        let application = Application { op: "transpose_conv2d", args: &args, attrs: &conv.attrs, quant: None };
        let got: Vec<f32> = application.result();
        let x: Vec<f32> =
            x.chunks(x.len() / x_dims[0]).flat_map(|picture| dynamic(picture, asymmetric).reals()).collect();
        let filter = w.len() / conv.outputs;
        let w: Vec<f32> = w.iter().enumerate().map(|(i, w)| f32::from(*w) * scale(i / filter)).collect();
        let want = layer_f32(&conv.products(), &x, &w, Some(&bias), conv.act);
        for (got, [want, tolerance]) in got.into_iter().zip(want) {
            assert!((f64::from(got) - want).abs() <= tolerance, "{got}, not {want}, seed {seed}");
        }
    }
}

#[test]
fn transposed_convolution_of_i8() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let conv = Transposed::new(&mut random);
        let [x_dims, w_dims, _] = conv.dims();
        let (x, mut w) = (random.i8s(x_dims.iter().product()), random.i8s(w_dims.iter().product()));
        w.iter_mut().for_each(|w| *w = (*w).max(-127));
        let mut zero = || i32::try_from(random.int(-128, 127)).unwrap();
        let (from, to) = (q(0.02, zero()), q(0.3, zero()));
        let scales: Vec<f32> = (0..conv.outputs).map(|_| random.scale(0.001, 0.1)).collect();
        let weights = if random.one_in(2) {
            Quant::new(scales.clone(), vec![0; conv.outputs], Some(0)).unwrap()
        } else {
            q(scales[0], 0)
        };
        let bias: Option<Vec<i32>> = random
            .one_in(2)
            .then(|| (0..conv.outputs).map(|_| i32::try_from(random.int(-5000, 5000)).unwrap()).collect());
        let zeros = vec![0; conv.outputs];
        let mut args =
            vec![Arg::input(i8_type(&x_dims, from.clone()), &x), Arg::param(i8_type(&w_dims, weights.clone()), &w)];
        let bias_type = planner_core::model::TensorType::plain(
            planner_core::dtype::DType::I32,
            waterline_tests::build::shape(&[conv.outputs]),
        );
        args.extend(bias.as_ref().map(|bias| Arg::param(bias_type, bias)));
        let application =
            Application { op: "transpose_conv2d", args: &args, attrs: &conv.attrs, quant: Some(to.clone()) };
        let layer = LayerI8 { x: &from, w: &weights, y: &to, single_product: false };
        let want = layer.results(&conv.products(), &x, &w, Some(bias.as_deref().unwrap_or(&zeros)), conv.act);
        assert_eq!(application.result::<i8>(), want, "seed {seed}");
    }
}

#[test]
fn l2_pool_is_the_root_of_the_mean_square() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let slide = Sliding {
            batch: random.size(1, 2),
            image: [random.size(3, 7), random.size(3, 7)],
            channels: random.size(1, 10),
            filter: [random.size(1, 3), random.size(1, 3)],
            stride: [random.size(1, 3), random.size(1, 3)],
            dilation: [1, 1],
            padding: if random.one_in(2) { Padding::Same } else { Padding::Valid },
        };
        let dims = [slide.batch, slide.image[0], slide.image[1], slide.channels];
        let x = random.f32s(dims.iter().product());
        let signed = |list: [usize; 2]| ints(&list.map(|v| i64::try_from(v).unwrap()));
        let padding = if matches!(slide.padding, Padding::Same) { "same" } else { "valid" };
        let attrs = [("filter", signed(slide.filter)), ("stride", signed(slide.stride)), ("padding", name(padding))];
        let args = [Arg::input(f32_type(&dims), &x)];
        let got: Vec<f32> = Application { op: "l2_pool2d", args: &args, attrs: &attrs, quant: None }.result();
        for (got, window) in got.into_iter().zip(slide.pool()) {
            #[allow(clippy::cast_precision_loss, reason = "few taps")]
            let mean = window.iter().map(|&i| f64::from(x[i]).powi(2)).sum::<f64>() / window.len() as f64;
            assert!((f64::from(got) - mean.sqrt()).abs() <= 1e-5, "{got}, not {}", mean.sqrt());
        }
    }
}

#[test]
fn a_transposed_convolution_makes_images_larger() {
    let size = |x: [usize; 4], filter: [usize; 4], attrs: &[(&'static str, AttrValue)]| {
        let args =
            [Arg::Input(f32_type(&x), Vec::new()), Arg::param(f32_type(&filter), &vec![0f32; filter.iter().product()])];
        let (program, _) = Application { op: "transpose_conv2d", args: &args, attrs, quant: None }.lower().unwrap();
        program.tensor(program.outputs[0].tensor).ty.shape.to_vec()
    };
    let two = ("stride", ints(&[2, 2]));
    assert_eq!(size([1, 3, 4, 2], [5, 3, 3, 2], &[two.clone(), ("padding", name("same"))]), [1, 6, 8, 5]);
    assert_eq!(size([1, 3, 4, 2], [5, 3, 3, 2], &[two.clone()]), [1, 7, 9, 5]);
    assert_eq!(size([1, 3, 4, 2], [5, 3, 3, 2], &[two, ("padding", ints(&[1, 0, 1, 1]))]), [1, 6, 7, 5]);
}

#[test]
fn errors_say_what_would_fit() {
    let x = Arg::Input(f32_type(&[1, 3, 3, 2]), Vec::new());
    let filter = |dims: &[usize]| Arg::param(f32_type(dims), &vec![0f32; dims.iter().product()]);
    let error = |op, args: &[Arg], attrs: &[_]| Application { op, args, attrs, quant: None }.error();
    let text = error("transpose_conv2d", &[x.clone(), filter(&[1, 2, 2, 3])], &[]);
    assert!(
        text.contains("wanted: f32[1, 2, 2, 2]\n  help: a filter lies `[output, height, width, channel]`"),
        "{text}"
    );
    let attrs = [("stride", ints(&[2, 2])), ("size", ints(&[9, 9]))];
    let text = error("transpose_conv2d", &[x.clone(), filter(&[1, 2, 2, 2])], &attrs);
    assert!(text.contains("no convolution makes `x` of 9 by 9 pixels\n  got: 4 by 4 positions"), "{text}");
    let both = [("size", ints(&[2, 2])), ("align_corners", flag(true)), ("half_pixel_centers", flag(true))];
    assert!(error("resize_bilinear", &[x.clone()], &both).contains("exclude each other"));
    assert!(error("resize_bilinear", &[x], &[]).contains("the size of the result is not clear"));
}

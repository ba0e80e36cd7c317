/// A small network of integers.
///
/// **Some weights are placeholders (`random`): the plan is real, the numbers are not.**
///
/// | | |
/// |---|---:|
/// | arena | 40 B |
/// | without reuse | 104 B |
/// | classic bound: most bytes live at once | 72 B |
/// | lower bound of this order | 40 B |
/// | weights | 132 B |
/// | of the model's parameters | 82 B |
/// | multiply-accumulates | 136 |
/// | steps | 5 |
///
/// Inputs and outputs:
///
/// - input `x: i8[1, 4, 4, 1] q(0.5, -3)`: bytes 0..16, step 0.
/// - input `gain: f32[1, 8]`: bytes 0..32 of the borrowed input `gain`. Borrowed.
/// - output `y` = `y: f32[1, 8]`: bytes 0..32, step 4.
/// - output `features` = `h: i8[1, 8] q(0.75, 4)`: bytes 32..40, steps 0..=4. Kept.
pub mod small {
    /// Size of the arena in bytes.
    pub const ARENA_BYTES: usize = 40;
    /// Alignment of the arena in bytes.
    pub const ARENA_ALIGN: usize = 16;
    /// Most bytes live at once in this order when buffers are whole and apart.
    pub const CLASSIC_BOUND_BYTES: usize = 72;
    /// No plan of this order can need less under the sharing rules in force.
    pub const LOWER_BOUND_BYTES: usize = 40;
    /// Size of the weights in flash in bytes.
    pub const WEIGHT_BYTES: usize = 132;
    /// Number of steps of a run.
    pub const STEPS: usize = 5;
    /// Multiply-accumulates of one run.
    pub const MACS: u64 = 136;
    /// The memory of the network: all that it needs besides flash and a little stack.
    ///
    /// It is all zero when new, so a `static` of it lies in `.bss`.
    #[repr(C, align(16))]
    pub struct Arena {
        words: [u32; 10],
    }
    impl Arena {
        /// An arena that is all zero.
        #[must_use]
        pub const fn new() -> Self {
            Self { words: [0; 10] }
        }
        /// Makes it as good as new.
        pub fn reset(&mut self) {
            self.words.fill(0);
        }
        /// Begins a run: fill the inputs, then [`run`](Frame::run). The kept outputs of the run before can be read until then.
        #[must_use]
        pub fn frame<'a>(&'a mut self, gain: &'a [f32; 8]) -> Frame<'a> {
            Frame { arena: self, gain }
        }
    }
    impl ::core::default::Default for Arena {
        fn default() -> Self {
            Self::new()
        }
    }
    /// A run whose inputs are being filled.
    pub struct Frame<'a> {
        arena: &'a mut Arena,
        gain: &'a [f32; 8],
    }
    impl<'a> Frame<'a> {
        /// The quantisation of [`x`](Self::x): real = 0.5 * (stored - -3).
        pub const X: waterline::Quant = waterline::Quant { scale: 0.5, zero_point: -3 };
        /// What the sensor measured.
        ///
        /// The slot of the input, `i8[1, 4, 4, 1] q(0.5, -3)`: a run may use its bytes for something else.
        #[must_use]
        pub fn x(&mut self) -> &mut [i8; 16] {
            slots::X.get_mut(&mut self.arena.words)
        }
        ///
        /// The output `i8[1, 8] q(0.75, 4)` of the run before; zeros before the first.
        #[must_use]
        pub fn features(&self) -> &[i8; 8] {
            slots::H.get(&self.arena.words)
        }
        /// Runs the network. The bytes of its inputs may be used for something else, except those that are kept.
        pub fn run(mut self) -> Outputs<'a> {
            steps::h_relu(&mut self);
            steps::h(&mut self);
            steps::logits(&mut self);
            steps::y_dequantize(&mut self);
            steps::y(&mut self);
            self.outputs()
        }
        /// Runs the network and shows the arena to `observer` after each step.
        pub fn run_with(self, observer: &mut (impl waterline::Observer + ?::core::marker::Sized)) -> Outputs<'a> {
            observer.start(&PLAN, waterline::__private::bytes_mut(&mut self.arena.words));
            let mut stepper = self.steps();
            while let ::core::option::Option::Some(step) = stepper.step() {
                let arena = waterline::__private::bytes_mut(&mut stepper.frame.arena.words);
                observer.after_step(&PLAN, step, arena);
            }
            stepper.finish()
        }
        /// Runs the network a step at a time.
        #[must_use]
        pub fn steps(self) -> Stepper<'a> {
            Stepper { frame: self, next: 0 }
        }
        fn outputs(self) -> Outputs<'a> {
            Outputs { words: &self.arena.words }
        }
    }
    /// A run that goes on a step at a time, with time for other work in between.
    pub struct Stepper<'a> {
        frame: Frame<'a>,
        next: usize,
    }
    impl<'a> Stepper<'a> {
        /// Computes the next step and says which it was; `None` after the last.
        pub fn step(&mut self) -> ::core::option::Option<&'static waterline::Step> {
            match self.next {
                0 => steps::h_relu(&mut self.frame),
                1 => steps::h(&mut self.frame),
                2 => steps::logits(&mut self.frame),
                3 => steps::y_dequantize(&mut self.frame),
                4 => steps::y(&mut self.frame),
                _ => return ::core::option::Option::None,
            }
            let step = PLAN.steps.get(self.next);
            self.next += 1;
            step
        }
        /// Computes what is left.
        #[must_use]
        pub fn finish(mut self) -> Outputs<'a> {
            while self.step().is_some() {}
            self.frame.outputs()
        }
    }
    /// The results of a run. They borrow the arena until they are dropped.
    #[derive(Clone, Copy)]
    pub struct Outputs<'a> {
        words: &'a [u32; 10],
    }
    impl<'a> Outputs<'a> {
        /// The quantisation of [`features`](Self::features): real = 0.75 * (stored - 4).
        pub const FEATURES: waterline::Quant = waterline::Quant { scale: 0.75, zero_point: 4 };
        /// How likely each class is.
        ///
        /// The output, `f32[1, 8]`.
        #[must_use]
        pub fn y(&self) -> &'a [f32; 8] {
            slots::Y.get(self.words)
        }
        ///
        /// The output, `i8[1, 8] q(0.75, 4)`.
        #[must_use]
        pub fn features(&self) -> &'a [i8; 8] {
            slots::H.get(self.words)
        }
    }
    /// Copies in the inputs and runs the network.
    pub fn run<'a>(arena: &'a mut Arena, x: &[i8; 16], gain: &'a [f32; 8]) -> Outputs<'a> {
        let mut frame = arena.frame(gain);
        *frame.x() = *x;
        frame.run()
    }
    impl ::core::fmt::Debug for Arena {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.debug_struct("Arena").finish_non_exhaustive()
        }
    }
    impl ::core::fmt::Debug for Frame<'_> {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.debug_struct("Frame").finish_non_exhaustive()
        }
    }
    impl ::core::fmt::Debug for Stepper<'_> {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.debug_struct("Stepper").finish_non_exhaustive()
        }
    }
    impl ::core::fmt::Debug for Outputs<'_> {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.debug_struct("Outputs").field("y", &self.y()).field("features", &self.features()).finish()
        }
    }
    /// The plan as data: names, offsets, sizes, lifetimes, events. Linked only if it is used.
    pub static PLAN: waterline::Plan = {
        use waterline::plan;
        plan::Plan {
            name: "small",
            arena_bytes: ARENA_BYTES,
            arena_align: ARENA_ALIGN,
            separate_bytes: 104,
            classic_bound_bytes: CLASSIC_BOUND_BYTES,
            lower_bound_bytes: LOWER_BOUND_BYTES,
            weight_bytes: WEIGHT_BYTES,
            param_bytes: 82,
            macs: MACS,
            order: "source",
            layout: "greedy_by_size",
            placeholder: true,
            tensors: &[
                plan::Tensor {
                    name: "x",
                    dtype: plan::DType::I8,
                    shape: &[1, 4, 4, 1],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: -3 }),
                    place: plan::Place::Arena { offset: slots::X.offset() },
                    size: slots::X.size(),
                    first: 0,
                    last: 0,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "gain",
                    dtype: plan::DType::F32,
                    shape: &[1, 8],
                    quant: ::core::option::Option::None,
                    place: plan::Place::Borrowed { input: 1, offset: slots::GAIN.offset() },
                    size: slots::GAIN.size(),
                    first: 0,
                    last: 0,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "h_relu",
                    dtype: plan::DType::I8,
                    shape: &[1, 2, 2, 2],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.75, zero_point: 4 }),
                    place: plan::Place::Arena { offset: slots::H_RELU.offset() },
                    size: slots::H_RELU.size(),
                    first: 0,
                    last: 1,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::Some(plan::Ahead {
                            of: 0,
                            backward: true,
                            from: 11,
                            multiple: 1,
                            any: 11,
                        }),
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "h",
                    dtype: plan::DType::I8,
                    shape: &[1, 8],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.75, zero_point: 4 }),
                    place: plan::Place::Arena { offset: slots::H.offset() },
                    size: slots::H.size(),
                    first: 0,
                    last: 4,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "logits",
                    dtype: plan::DType::I8,
                    shape: &[1, 8],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 0 }),
                    place: plan::Place::Arena { offset: slots::LOGITS.offset() },
                    size: slots::LOGITS.size(),
                    first: 2,
                    last: 3,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "y_dequantize",
                    dtype: plan::DType::F32,
                    shape: &[1, 8],
                    quant: ::core::option::Option::None,
                    place: plan::Place::Arena { offset: slots::Y_DEQUANTIZE.offset() },
                    size: slots::Y_DEQUANTIZE.size(),
                    first: 3,
                    last: 4,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::Some(plan::Ahead {
                            of: 4,
                            backward: true,
                            from: 0,
                            multiple: 1,
                            any: 0,
                        }),
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "y",
                    dtype: plan::DType::F32,
                    shape: &[1, 8],
                    quant: ::core::option::Option::None,
                    place: plan::Place::Arena { offset: slots::Y.offset() },
                    size: slots::Y.size(),
                    first: 4,
                    last: 4,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::Some(5),
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
            ],
            steps: &[
                plan::Step {
                    index: 0,
                    name: "h_relu",
                    op: "conv2d",
                    reads: &[0],
                    writes: &[2],
                    scratch: ::core::option::Option::None,
                    macs: 72,
                },
                plan::Step {
                    index: 1,
                    name: "h",
                    op: "reshape",
                    reads: &[2],
                    writes: &[3],
                    scratch: ::core::option::Option::None,
                    macs: 0,
                },
                plan::Step {
                    index: 2,
                    name: "logits",
                    op: "dense",
                    reads: &[3],
                    writes: &[4],
                    scratch: ::core::option::Option::None,
                    macs: 64,
                },
                plan::Step {
                    index: 3,
                    name: "y_dequantize",
                    op: "dequantize",
                    reads: &[4],
                    writes: &[5],
                    scratch: ::core::option::Option::None,
                    macs: 0,
                },
                plan::Step {
                    index: 4,
                    name: "y",
                    op: "mul",
                    reads: &[5, 1],
                    writes: &[6],
                    scratch: ::core::option::Option::None,
                    macs: 0,
                },
            ],
            inputs: &[
                plan::Input { name: "x", tensor: 0, mode: plan::InputMode::Plain },
                plan::Input { name: "gain", tensor: 1, mode: plan::InputMode::Borrowed },
            ],
            outputs: &[
                plan::Output { name: "y", tensor: 6, kept: false },
                plan::Output { name: "features", tensor: 3, kept: true },
            ],
            states: &[],
            buffers: &[
                plan::Buffer { name: "x", offset: 0, size: 16, first: 0, last: 0 },
                plan::Buffer { name: "h_relu", offset: 11, size: 8, first: 0, last: 1 },
                plan::Buffer { name: "h", offset: 32, size: 8, first: 0, last: 4 },
                plan::Buffer { name: "logits", offset: 0, size: 8, first: 2, last: 3 },
                plan::Buffer { name: "y_dequantize", offset: 0, size: 32, first: 3, last: 4 },
            ],
            events: &[
                plan::Event { kind: plan::EventKind::Alloc, tensor: 0, buffer: 0, step: 0 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 2, buffer: 1, step: 0 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 3, buffer: 2, step: 0 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 2, buffer: 1, step: 0 },
                plan::Event { kind: plan::EventKind::Free, tensor: 0, buffer: 0, step: 0 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 3, buffer: 2, step: 1 },
                plan::Event { kind: plan::EventKind::Free, tensor: 2, buffer: 1, step: 1 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 4, buffer: 3, step: 2 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 4, buffer: 3, step: 2 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 5, buffer: 4, step: 3 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 5, buffer: 4, step: 3 },
                plan::Event { kind: plan::EventKind::Free, tensor: 4, buffer: 3, step: 3 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 6, buffer: 4, step: 4 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 6, buffer: 4, step: 4 },
                plan::Event { kind: plan::EventKind::Free, tensor: 3, buffer: 2, step: 4 },
                plan::Event { kind: plan::EventKind::Free, tensor: 5, buffer: 4, step: 4 },
                plan::Event { kind: plan::EventKind::Free, tensor: 6, buffer: 4, step: 4 },
            ],
        }
    };
    impl waterline::Network for Arena {
        fn plan(&self) -> &'static waterline::Plan {
            &PLAN
        }
        fn arena(&mut self) -> &mut [u8] {
            waterline::__private::bytes_mut(&mut self.words)
        }
        fn reset(&mut self) {
            Self::reset(self);
        }
        fn run<'a>(
            &'a mut self,
            inputs: &'a [&'a [u8]],
            observer: &mut dyn waterline::Observer,
        ) -> ::core::result::Result<waterline::OutputBytes<'a>, waterline::RunError> {
            let [input_0, input_1] = *inputs else {
                return ::core::result::Result::Err(waterline::RunError::Count { got: inputs.len(), wanted: 2 });
            };
            waterline::__private::fill(slots::X.get_mut(&mut self.words), 0, input_0)?;
            let input_1 = waterline::__private::borrow::<_, 8>(1, input_1)?;
            let outputs = self.frame(input_1).run_with(observer);
            let arena = waterline::__private::bytes(outputs.words);
            ::core::result::Result::Ok(waterline::OutputBytes::new(&PLAN, arena, inputs))
        }
    }
    mod slots {
        use waterline::__private::Slot;
        /// `x: i8[1, 4, 4, 1] q(0.5, -3)`: bytes 0..16, step 0.
        pub(super) const X: Slot<i8, 0, 16> = Slot::HERE;
        /// `gain: f32[1, 8]`: bytes 0..32 of the borrowed input `gain`.
        pub(super) const GAIN: Slot<f32, 0, 8> = Slot::HERE;
        /// `h_relu: i8[1, 2, 2, 2] q(0.75, 4)`: bytes 11..19, steps 0..=1.
        pub(super) const H_RELU: Slot<i8, 11, 8> = Slot::HERE;
        /// `h: i8[1, 8] q(0.75, 4)`: bytes 32..40, steps 0..=4.
        pub(super) const H: Slot<i8, 32, 8> = Slot::HERE;
        /// `logits: i8[1, 8] q(0.5, 0)`: bytes 0..8, steps 2..=3.
        pub(super) const LOGITS: Slot<i8, 0, 8> = Slot::HERE;
        /// `y_dequantize: f32[1, 8]`: bytes 0..32, steps 3..=4.
        pub(super) const Y_DEQUANTIZE: Slot<f32, 0, 8> = Slot::HERE;
        /// `y: f32[1, 8]`: bytes 0..32, step 4.
        pub(super) const Y: Slot<f32, 0, 8> = Slot::HERE;
    }
    mod steps {
        use super::{Frame, slots, statics};
        use waterline::__private::{
            kernels::{self, Units},
            region,
        };
        /// `conv2d`: `x` at 0..16 -> `h_relu` at 11..19.
        pub(super) fn h_relu(frame: &mut Frame<'_>) {
            let arena = region(&mut frame.arena.words);
            kernels::conv2d_i8(
                &statics::H_RELU,
                slots::X.cells(arena),
                slots::H_RELU.cells(arena),
                Units::backward(0..2),
            );
        }
        /// `reshape`: `h_relu` at 11..19 -> `h` at 32..40.
        pub(super) fn h(frame: &mut Frame<'_>) {
            let arena = region(&mut frame.arena.words);
            kernels::copy_1(&statics::H, slots::H_RELU.cells(arena), slots::H.cells(arena), Units::forward(0..1));
        }
        /// `dense`: `h` at 32..40 -> `logits` at 0..8.
        pub(super) fn logits(frame: &mut Frame<'_>) {
            let arena = region(&mut frame.arena.words);
            kernels::dense_i8(
                &statics::LOGITS,
                slots::H.cells(arena),
                slots::LOGITS.cells(arena),
                Units::forward(0..1),
            );
        }
        /// `dequantize`: `logits` at 0..8 -> `y_dequantize` at 0..32.
        pub(super) fn y_dequantize(frame: &mut Frame<'_>) {
            let arena = region::<u8, _>(&mut frame.arena.words);
            kernels::dequantize_i8(
                &statics::Y_DEQUANTIZE,
                slots::LOGITS.bytes(arena),
                slots::Y_DEQUANTIZE.bytes(arena),
                Units::backward(0..8),
            );
        }
        /// `mul`: `y_dequantize` at 0..32, `gain` borrowed -> `y` at 0..32.
        pub(super) fn y(frame: &mut Frame<'_>) {
            let arena = region(&mut frame.arena.words);
            kernels::mul_f32(
                &statics::Y,
                slots::Y_DEQUANTIZE.cells(arena),
                slots::GAIN.slice(frame.gain),
                slots::Y.cells(arena),
                Units::forward(0..8),
            );
        }
    }
    mod statics {
        use waterline::__private::kernels;
        pub(super) static W: [i8; 18] =
            waterline::__private::must_cast(*b"M>$^\xAF\xDA`\xD4\xF7\x91\x0E\xCA\xD3\xC6\x04\xE0~K");
        pub(super) static H_RELU_BIAS_FOLDED: [i32; 2] = waterline::__private::must_cast(*b"C\x02\0\0\r\xFF\xFF\xFF");
        pub(super) static H_RELU_MULTIPLIERS: [i32; 2] = waterline::__private::must_cast(*b"UUUUUUUU");
        pub(super) static H_RELU_SHIFTS: [i8; 2] = waterline::__private::must_cast(*b"\xFE\xFD");
        pub(super) static USED: [i8; 64] = <super::Arena as super::Externals>::USED;
        pub(super) static LOGITS_BIAS_FOLDED: [i32; 8] =
            waterline::__private::kernels::folded_bias(&[], &USED, 4, 8, 8, 1);
        pub(super) static LOGITS_MULTIPLIERS: [i32; 1] = waterline::__private::must_cast(*b"\0\0\0`");
        pub(super) static LOGITS_SHIFTS: [i8; 1] = [0; 1];
        pub(super) static H_RELU: kernels::ConvI8<'static> = kernels::ConvI8 {
            shape: kernels::Conv {
                slide: kernels::Slide {
                    y: kernels::Taps { input: 4, output: 2, taps: 3, stride: 1, dilation: 1, before: 0 },
                    x: kernels::Taps { input: 4, output: 2, taps: 3, stride: 1, dilation: 1, before: 0 },
                    from: kernels::Rows { stride: 4, held: 4 },
                    to: kernels::Rows { stride: 4, held: 2 },
                    pixel: 2,
                },
                groups: 1,
                inputs: 1,
                outputs: 2,
            },
            layer: kernels::WeightsI8 {
                weights: &W,
                bias: &H_RELU_BIAS_FOLDED,
                zero_point: -3,
                result: kernels::Requantize {
                    multipliers: &H_RELU_MULTIPLIERS,
                    shifts: &H_RELU_SHIFTS,
                    zero_point: 4,
                    min: 4,
                    max: 127,
                },
            },
        };
        pub(super) static H: kernels::Runs = kernels::Runs {
            run: 8,
            step: 1,
            from: 0,
            to: 0,
            axes: [
                kernels::Axis { size: 1, strides: [0, 0] },
                kernels::Axis { size: 1, strides: [0, 0] },
                kernels::Axis { size: 1, strides: [0, 0] },
                kernels::Axis { size: 1, strides: [0, 0] },
                kernels::Axis { size: 1, strides: [0, 0] },
            ],
        };
        pub(super) static LOGITS: kernels::DenseI8<'static> = kernels::DenseI8 {
            shape: kernels::Dense {
                inputs: 8,
                outputs: 8,
                from: kernels::Rows { stride: 8, held: 1 },
                to: kernels::Rows { stride: 8, held: 1 },
            },
            layer: kernels::WeightsI8 {
                weights: &USED,
                bias: &LOGITS_BIAS_FOLDED,
                zero_point: 4,
                result: kernels::Requantize {
                    multipliers: &LOGITS_MULTIPLIERS,
                    shifts: &LOGITS_SHIFTS,
                    zero_point: 0,
                    min: -128,
                    max: 127,
                },
            },
        };
        pub(super) static Y_DEQUANTIZE: kernels::Quant = kernels::Quant { scale: 0.5, zero_point: 0 };
        pub(super) static Y: kernels::ArithmeticF32 = kernels::ArithmeticF32 {
            pairs: kernels::Broadcast {
                run: 8,
                steps: [1, 1],
                axes: [
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                ],
            },
            min: f32::NEG_INFINITY,
            max: f32::INFINITY,
        };
    }
    pub(super) trait Externals {
        const USED: [i8; 64];
    }
    const _: () = match waterline::__private::prove(&PLAN, &[0, 2, 3, 4, 5, 6]) {
        ::core::result::Result::Ok(()) => (),
        ::core::result::Result::Err(flaw) => ::core::panic!("{}", flaw),
    };
    const _: ::core::option::Option<&str> = ::core::option_env!("WATERLINE_REPORT");
}
impl small::Externals for small::Arena {
    const USED: [i8; 64] = WEIGHTS;
}

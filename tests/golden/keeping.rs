///
/// | | |
/// |---|---:|
/// | arena | 16 B |
/// | without reuse | 24 B |
/// | classic bound: most bytes live at once | 16 B |
/// | lower bound of this order | 12 B |
/// | weights | 0 B |
/// | of the model's parameters | 0 B |
/// | multiply-accumulates | 0 |
/// | steps | 4 |
///
/// Inputs and outputs:
///
/// - input `x: i8[1, 4] q(0.5, 3)`: bytes 12..16, steps 0..=1.
/// - output `y` = `y: i8[1, 4] q(0.5, 3)`: bytes 8..12, steps 0..=3.
/// - output `m` = `m: i8[1, 4] q(0.5, 3)`: bytes 12..16, steps 2..=3.
/// - state `mean: i8[1, 4] q(0.5, 3)`: bytes 0..4, steps 0..=3. Kept between runs.
/// - state `last: i8[1, 4] q(0.5, 3)`: bytes 4..8, step 0. Kept between runs.
mod keeping {
    /// Size of the arena in bytes.
    pub const ARENA_BYTES: usize = 16;
    /// Alignment of the arena in bytes.
    pub const ARENA_ALIGN: usize = 16;
    /// Most bytes live at once in this order when buffers are whole and apart.
    pub const CLASSIC_BOUND_BYTES: usize = 16;
    /// No plan of this order can need less under the sharing rules in force.
    pub const LOWER_BOUND_BYTES: usize = 12;
    /// Size of the weights in flash in bytes.
    pub const WEIGHT_BYTES: usize = 0;
    /// Number of steps of a run.
    pub const STEPS: usize = 4;
    /// Multiply-accumulates of one run.
    pub const MACS: u64 = 0;
    /// The memory of the network: all that it needs besides flash and a little stack.
    ///
    /// It is all zero when new, so a `static` of it lies in `.bss`.
    #[repr(C, align(16))]
    pub struct Arena {
        words: [u32; 4],
        ready: bool,
    }
    impl Arena {
        /// An arena that is all zero.
        #[must_use]
        pub const fn new() -> Self {
            Self { words: [0; 4], ready: false }
        }
        /// Makes it as good as new: every state starts again from its initial values.
        pub fn reset(&mut self) {
            self.words.fill(0);
            self.ready = false;
        }
        /// Starts again from its initial values: state `mean: i8[1, 4] q(0.5, 3)`: bytes 0..4, steps 0..=3.
        pub fn reset_mean(&mut self) {
            *slots::MEAN.get_mut(&mut self.words) = [3; 4];
        }
        /// Starts again from its initial values: state `last: i8[1, 4] q(0.5, 3)`: bytes 4..8, step 0.
        pub fn reset_last(&mut self) {
            *slots::LAST.get_mut(&mut self.words) = [0; 4];
        }
        /// Begins a run: fill the inputs, then [`run`](Frame::run).
        #[must_use]
        pub fn frame(&mut self) -> Frame<'_> {
            if !self.ready {
                self.reset_mean();
                self.ready = true;
            }
            Frame { arena: self }
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
    }
    impl<'a> Frame<'a> {
        /// The quantisation of [`x`](Self::x): real = 0.5 * (stored - 3).
        pub const X: waterline::Quant = waterline::Quant { scale: 0.5, zero_point: 3 };
        ///
        /// The slot of the input, `i8[1, 4] q(0.5, 3)`: a run may use its bytes for something else.
        #[must_use]
        pub fn x(&mut self) -> &mut [i8; 4] {
            slots::X.get_mut(&mut self.arena.words)
        }
        /// Runs the network. The bytes of its inputs may be used for something else, except those that are kept.
        pub fn run(mut self) -> Outputs<'a> {
            steps::y(&mut self);
            steps::last_next(&mut self);
            steps::m(&mut self);
            steps::mean_new(&mut self);
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
                0 => steps::y(&mut self.frame),
                1 => steps::last_next(&mut self.frame),
                2 => steps::m(&mut self.frame),
                3 => steps::mean_new(&mut self.frame),
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
        words: &'a [u32; 4],
    }
    impl<'a> Outputs<'a> {
        /// The quantisation of [`y`](Self::y): real = 0.5 * (stored - 3).
        pub const Y: waterline::Quant = waterline::Quant { scale: 0.5, zero_point: 3 };
        /// The quantisation of [`m`](Self::m): real = 0.5 * (stored - 3).
        pub const M: waterline::Quant = waterline::Quant { scale: 0.5, zero_point: 3 };
        ///
        /// The output, `i8[1, 4] q(0.5, 3)`.
        #[must_use]
        pub fn y(&self) -> &'a [i8; 4] {
            slots::Y.get(self.words)
        }
        ///
        /// The output, `i8[1, 4] q(0.5, 3)`.
        #[must_use]
        pub fn m(&self) -> &'a [i8; 4] {
            slots::M.get(self.words)
        }
    }
    /// Copies in the inputs and runs the network.
    pub fn run<'a>(arena: &'a mut Arena, x: &[i8; 4]) -> Outputs<'a> {
        let mut frame = arena.frame();
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
            f.debug_struct("Outputs").field("y", &self.y()).field("m", &self.m()).finish()
        }
    }
    /// The plan as data: names, offsets, sizes, lifetimes, events. Linked only if it is used.
    pub static PLAN: waterline::Plan = {
        use waterline::plan;
        plan::Plan {
            name: "keeping",
            arena_bytes: ARENA_BYTES,
            arena_align: ARENA_ALIGN,
            separate_bytes: 24,
            classic_bound_bytes: CLASSIC_BOUND_BYTES,
            lower_bound_bytes: LOWER_BOUND_BYTES,
            weight_bytes: WEIGHT_BYTES,
            param_bytes: 0,
            macs: MACS,
            order: "optimal",
            layout: "greedy_by_size",
            placeholder: false,
            tensors: &[
                plan::Tensor {
                    name: "x",
                    dtype: plan::DType::I8,
                    shape: &[1, 4],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 3 }),
                    place: plan::Place::Arena { offset: slots::X.offset() },
                    size: slots::X.size(),
                    first: 0,
                    last: 1,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "mean",
                    dtype: plan::DType::I8,
                    shape: &[1, 4],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 3 }),
                    place: plan::Place::Arena { offset: slots::MEAN.offset() },
                    size: slots::MEAN.size(),
                    first: 0,
                    last: 3,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "last",
                    dtype: plan::DType::I8,
                    shape: &[1, 4],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 3 }),
                    place: plan::Place::Arena { offset: slots::LAST.offset() },
                    size: slots::LAST.size(),
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
                    name: "y",
                    dtype: plan::DType::I8,
                    shape: &[1, 4],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 3 }),
                    place: plan::Place::Arena { offset: slots::Y.offset() },
                    size: slots::Y.size(),
                    first: 0,
                    last: 3,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "mean_new",
                    dtype: plan::DType::I8,
                    shape: &[1, 4],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 3 }),
                    place: plan::Place::Arena { offset: slots::MEAN_NEW.offset() },
                    size: slots::MEAN_NEW.size(),
                    first: 3,
                    last: 3,
                    shares: plan::Shares {
                        inside: ::core::option::Option::Some(6),
                        over: ::core::option::Option::Some(1),
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "m",
                    dtype: plan::DType::I8,
                    shape: &[1, 4],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 3 }),
                    place: plan::Place::Arena { offset: slots::M.offset() },
                    size: slots::M.size(),
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
                    name: "mean_next",
                    dtype: plan::DType::I8,
                    shape: &[1, 4],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 3 }),
                    place: plan::Place::Arena { offset: slots::MEAN_NEXT.offset() },
                    size: slots::MEAN_NEXT.size(),
                    first: 3,
                    last: 3,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
                plan::Tensor {
                    name: "last_next",
                    dtype: plan::DType::I8,
                    shape: &[1, 4],
                    quant: ::core::option::Option::Some(waterline::Quant { scale: 0.5, zero_point: 3 }),
                    place: plan::Place::Arena { offset: slots::LAST_NEXT.offset() },
                    size: slots::LAST_NEXT.size(),
                    first: 1,
                    last: 3,
                    shares: plan::Shares {
                        inside: ::core::option::Option::None,
                        over: ::core::option::Option::None,
                        ahead: ::core::option::Option::None,
                        spread: ::core::option::Option::None,
                    },
                },
            ],
            steps: &[
                plan::Step {
                    index: 0,
                    name: "y",
                    op: "add",
                    reads: &[0, 2],
                    writes: &[3],
                    scratch: ::core::option::Option::None,
                    macs: 0,
                },
                plan::Step {
                    index: 1,
                    name: "last_next",
                    op: "assign",
                    reads: &[0],
                    writes: &[7],
                    scratch: ::core::option::Option::None,
                    macs: 0,
                },
                plan::Step {
                    index: 2,
                    name: "m",
                    op: "relu",
                    reads: &[1],
                    writes: &[5],
                    scratch: ::core::option::Option::None,
                    macs: 0,
                },
                plan::Step {
                    index: 3,
                    name: "mean_new",
                    op: "add",
                    reads: &[1, 3],
                    writes: &[4],
                    scratch: ::core::option::Option::None,
                    macs: 0,
                },
            ],
            inputs: &[plan::Input { name: "x", tensor: 0, mode: plan::InputMode::Plain }],
            outputs: &[
                plan::Output { name: "y", tensor: 3, kept: false },
                plan::Output { name: "m", tensor: 5, kept: false },
            ],
            states: &[
                plan::State { name: "mean", tensor: 1, next: 6 },
                plan::State { name: "last", tensor: 2, next: 7 },
            ],
            buffers: &[
                plan::Buffer { name: "x", offset: 12, size: 4, first: 0, last: 1 },
                plan::Buffer { name: "mean", offset: 0, size: 4, first: 0, last: 3 },
                plan::Buffer { name: "last", offset: 4, size: 4, first: 0, last: 3 },
                plan::Buffer { name: "y", offset: 8, size: 4, first: 0, last: 3 },
                plan::Buffer { name: "m", offset: 12, size: 4, first: 2, last: 3 },
            ],
            events: &[
                plan::Event { kind: plan::EventKind::Alloc, tensor: 0, buffer: 0, step: 0 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 1, buffer: 1, step: 0 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 2, buffer: 2, step: 0 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 3, buffer: 3, step: 0 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 3, buffer: 3, step: 0 },
                plan::Event { kind: plan::EventKind::Free, tensor: 2, buffer: 2, step: 0 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 7, buffer: 2, step: 1 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 7, buffer: 2, step: 1 },
                plan::Event { kind: plan::EventKind::Free, tensor: 0, buffer: 0, step: 1 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 5, buffer: 4, step: 2 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 5, buffer: 4, step: 2 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 4, buffer: 1, step: 3 },
                plan::Event { kind: plan::EventKind::Alloc, tensor: 6, buffer: 1, step: 3 },
                plan::Event { kind: plan::EventKind::Exec, tensor: 4, buffer: 1, step: 3 },
                plan::Event { kind: plan::EventKind::Free, tensor: 1, buffer: 1, step: 3 },
                plan::Event { kind: plan::EventKind::Free, tensor: 3, buffer: 3, step: 3 },
                plan::Event { kind: plan::EventKind::Free, tensor: 4, buffer: 1, step: 3 },
                plan::Event { kind: plan::EventKind::Free, tensor: 5, buffer: 4, step: 3 },
                plan::Event { kind: plan::EventKind::Free, tensor: 6, buffer: 1, step: 3 },
                plan::Event { kind: plan::EventKind::Free, tensor: 7, buffer: 2, step: 3 },
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
            let [input_0] = *inputs else {
                return ::core::result::Result::Err(waterline::RunError::Count { got: inputs.len(), wanted: 1 });
            };
            waterline::__private::fill(slots::X.get_mut(&mut self.words), 0, input_0)?;
            let outputs = self.frame().run_with(observer);
            let arena = waterline::__private::bytes(outputs.words);
            ::core::result::Result::Ok(waterline::OutputBytes::new(&PLAN, arena, inputs))
        }
    }
    mod slots {
        use waterline::__private::Slot;
        /// `x: i8[1, 4] q(0.5, 3)`: bytes 12..16, steps 0..=1.
        pub(super) const X: Slot<i8, 12, 4> = Slot::HERE;
        /// `mean: i8[1, 4] q(0.5, 3)`: bytes 0..4, steps 0..=3.
        pub(super) const MEAN: Slot<i8, 0, 4> = Slot::HERE;
        /// `last: i8[1, 4] q(0.5, 3)`: bytes 4..8, step 0.
        pub(super) const LAST: Slot<i8, 4, 4> = Slot::HERE;
        /// `y: i8[1, 4] q(0.5, 3)`: bytes 8..12, steps 0..=3.
        pub(super) const Y: Slot<i8, 8, 4> = Slot::HERE;
        /// `mean_new: i8[1, 4] q(0.5, 3)`: bytes 0..4, step 3.
        pub(super) const MEAN_NEW: Slot<i8, 0, 4> = Slot::HERE;
        /// `m: i8[1, 4] q(0.5, 3)`: bytes 12..16, steps 2..=3.
        pub(super) const M: Slot<i8, 12, 4> = Slot::HERE;
        /// `mean_next: i8[1, 4] q(0.5, 3)`: bytes 0..4, step 3.
        pub(super) const MEAN_NEXT: Slot<i8, 0, 4> = Slot::HERE;
        /// `last_next: i8[1, 4] q(0.5, 3)`: bytes 4..8, steps 1..=3.
        pub(super) const LAST_NEXT: Slot<i8, 4, 4> = Slot::HERE;
    }
    mod steps {
        use super::{Frame, slots, statics};
        use waterline::__private::{
            kernels::{self, Units},
            region,
        };
        /// `add`: `x` at 12..16, `last` at 4..8 -> `y` at 8..12.
        pub(super) fn y(frame: &mut Frame<'_>) {
            let arena = region(&mut frame.arena.words);
            kernels::add_i8(
                &statics::Y,
                slots::X.cells(arena),
                slots::LAST.cells(arena),
                slots::Y.cells(arena),
                Units::forward(0..4),
            );
        }
        /// `assign`: `x` at 12..16 -> `last_next` at 4..8.
        pub(super) fn last_next(frame: &mut Frame<'_>) {
            let arena = region(&mut frame.arena.words);
            kernels::copy_1(
                &statics::LAST_NEXT,
                slots::X.cells(arena),
                slots::LAST_NEXT.cells(arena),
                Units::forward(0..1),
            );
        }
        /// `relu`: `mean` at 0..4 -> `m` at 12..16.
        pub(super) fn m(frame: &mut Frame<'_>) {
            let arena = region(&mut frame.arena.words);
            kernels::clamp_i8(&statics::M, slots::MEAN.cells(arena), slots::M.cells(arena), Units::forward(0..4));
        }
        /// `add`: `mean` at 0..4, `y` at 8..12 -> `mean_new` at 0..4.
        pub(super) fn mean_new(frame: &mut Frame<'_>) {
            let arena = region(&mut frame.arena.words);
            kernels::add_i8(
                &statics::MEAN_NEW,
                slots::MEAN.cells(arena),
                slots::Y.cells(arena),
                slots::MEAN_NEW.cells(arena),
                Units::forward(0..4),
            );
        }
    }
    mod statics {
        use waterline::__private::kernels;
        pub(super) static Y: kernels::AddInt = kernels::AddInt {
            pairs: kernels::Broadcast {
                run: 4,
                steps: [1, 1],
                axes: [
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                ],
            },
            bits: 20,
            a: kernels::Term { zero_point: 3, multiplier: 1073741824, shift: 0 },
            b: kernels::Term { zero_point: 3, multiplier: 1073741824, shift: 0 },
            multiplier: 1073741824,
            shift: -18,
            zero_point: 3,
            min: -128,
            max: 127,
        };
        pub(super) static LAST_NEXT: kernels::Runs = kernels::Runs {
            run: 4,
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
        pub(super) static M: kernels::ClampInt = kernels::ClampInt { min: 3, max: 127 };
        pub(super) static MEAN_NEW: kernels::AddInt = kernels::AddInt {
            pairs: kernels::Broadcast {
                run: 4,
                steps: [1, 1],
                axes: [
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                    kernels::Axis { size: 1, strides: [0, 0] },
                ],
            },
            bits: 20,
            a: kernels::Term { zero_point: 3, multiplier: 1073741824, shift: 0 },
            b: kernels::Term { zero_point: 3, multiplier: 1073741824, shift: 0 },
            multiplier: 1073741824,
            shift: -18,
            zero_point: 3,
            min: -128,
            max: 127,
        };
    }
    const _: () = match waterline::__private::prove(&PLAN, &[0, 1, 2, 3, 7, 5, 4, 6]) {
        ::core::result::Result::Ok(()) => (),
        ::core::result::Result::Err(flaw) => ::core::panic!("{}", flaw),
    };
    const _: ::core::option::Option<&str> = ::core::option_env!("WATERLINE_REPORT");
}

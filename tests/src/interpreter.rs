//! Runs a lowered program on the host, without generated code.
//!
//! A [`Placement`] says in which order the steps run and where each tensor
//! lies, so that the same program runs with every tensor apart and as planned.
//! `kernels!` maps the kernel names that operators emit to the runtime's
//! functions: a new kernel is a row there.

use crate::params::Constants;
use crate::window::{Window, Words, cells};
use planner_core::distances::Direction;
use planner_core::emit::{Call, Init, Operand};
use planner_core::model::TensorId;
use planner_core::plan::Plan;
use planner_core::planned::{Place, PlannedStep, Shares};
use planner_core::state::StateInit;
use planner_core::steps::{Program, Source};
use std::cell::Cell;
use waterline::kernels::{self, Units};

/// The rows of the table: the function, its parameters, its windows.
macro_rules! kernels {
    ($($kernel:ident $(::<$element:ty>)? ($params:ident, $($window:ident),+);)+) => {
        /// Every kernel that can be interpreted.
        pub const KERNELS: &[&str] = &[$(stringify!($kernel)),+];

        fn call(call: &Call, windows: &[Window<'_>], constants: Constants<'_>, units: Units) {
            match call.kernel {
                $(stringify!($kernel) => {
                    assert_eq!(call.params.name, stringify!($params), "parameters of {}", call.kernel);
                    let params: kernels::$params = constants.params(&call.params);
                    let &[$($window),+] = windows else { panic!("{} windows for {}", windows.len(), call.kernel) };
                    kernels::$kernel $(::<$element>)? (&params, $($window.typed()),+, units);
                })+
                other => panic!("kernel `{other}` has no row in the interpreter's table"),
            }
        }
    };
}

kernels! {
    abs_f32(Pure, x, y);
    abs_i32(Pure, x, y);
    add_f32(ArithmeticF32, a, b, y);
    add_i16(AddInt, a, b, y);
    add_i32(Broadcast, a, b, y);
    add_i8(AddInt, a, b, y);
    add_u8(AddInt, a, b, y);
    add_weighted_i8(AddWeightedI8, a, b, y);
    affine_f32(Affine, x, y);
    arg_max_f32(Lines, x, y);
    arg_max_i16(Lines, x, y);
    arg_max_i32(Lines, x, y);
    arg_max_i8(Lines, x, y);
    arg_max_u8(Lines, x, y);
    arg_min_f32(Lines, x, y);
    arg_min_i16(Lines, x, y);
    arg_min_i32(Lines, x, y);
    arg_min_i8(Lines, x, y);
    arg_min_u8(Lines, x, y);
    avg_pool2d_f32(PoolF32, x, y);
    avg_pool2d_i16(PoolInt, x, y);
    avg_pool2d_i8(PoolInt, x, y);
    avg_pool2d_u8(PoolInt, x, y);
    cast_f32_bool(Pure, x, y);
    cast_f32_i16(Pure, x, y);
    cast_f32_i32(Pure, x, y);
    cast_f32_i8(Pure, x, y);
    cast_f32_u8(Pure, x, y);
    cast_i16_f32(Pure, x, y);
    cast_i16_i32(Pure, x, y);
    cast_i32_bool(Pure, x, y);
    cast_i32_f32(Pure, x, y);
    cast_i32_i16(Pure, x, y);
    cast_i32_i8(Pure, x, y);
    cast_i32_u8(Pure, x, y);
    cast_i8_f32(Pure, x, y);
    cast_i8_i32(Pure, x, y);
    cast_u8_f32(Pure, x, y);
    cast_u8_i32(Pure, x, y);
    ceil_f32(Pure, x, y);
    clamp_f32(Clamp, x, y);
    clamp_i16(ClampInt, x, y);
    clamp_i8(ClampInt, x, y);
    clamp_u8(ClampInt, x, y);
    conv2d_blocked_i8(ConvBlockedI8, x, y, columns);
    conv2d_f32(ConvF32, x, y);
    conv2d_hybrid_f32(ConvHybrid, x, y);
    conv2d_i16(ConvI16, x, y);
    conv2d_i8(ConvI8, x, y);
    conv2d_packed_i8(ConvPackedI8, x, y, columns);
    conv2d_u8(ConvU8, x, y);
    copy_1::<i8>(Runs, x, y);
    copy_2::<i16>(Runs, x, y);
    copy_4::<i32>(Runs, x, y);
    copy_lut_i8(LutRuns, x, y);
    copy_lut_u8(LutRuns, x, y);
    copy_rescale_i16(RescaleRuns, x, y);
    cos_f32(Pure, x, y);
    cumsum_f32(Cumsum, x, y);
    cumsum_i32(Cumsum, x, y);
    cumsum_i8(CumsumI8, x, y);
    dense_blocked_i8(DenseBlockedI8, x, y, columns);
    dense_direct_i8(DensePackedI8, x, y);
    dense_f32(DenseF32, x, y);
    dense_hybrid_f32(DenseHybrid, x, y);
    dense_i16(DenseI16, x, y);
    dense_i8(DenseI8, x, y);
    dense_packed_i8(DensePackedI8, x, y, columns);
    dense_u8(DenseU8, x, y);
    depthwise_conv2d_3x3_i8(DepthwisePackedI8, x, y);
    depthwise_conv2d_f32(DepthwiseF32, x, y);
    depthwise_conv2d_hybrid_f32(DepthwiseHybrid, x, y);
    depthwise_conv2d_i16(DepthwiseI16, x, y);
    depthwise_conv2d_i8(DepthwiseI8, x, y);
    depthwise_conv2d_packed_i8(DepthwisePackedI8, x, y, scratch);
    depthwise_conv2d_planes_i8(DepthwisePlanesI8, x, y, planes);
    depthwise_conv2d_planes_ring_i8(DepthwisePlanesI8, x, y, planes);
    depthwise_conv2d_ring_f32(DepthwiseF32, x, y, ring);
    depthwise_conv2d_ring_i16(DepthwiseI16, x, y, ring);
    depthwise_conv2d_ring_i8(DepthwiseI8, x, y, ring);
    depthwise_conv2d_ring_u8(DepthwiseU8, x, y, ring);
    depthwise_conv2d_u8(DepthwiseU8, x, y);
    dequantize_i16(Quant, x, y);
    dequantize_i8(Quant, x, y);
    dequantize_u8(Quant, x, y);
    div_f32(ArithmeticF32, a, b, y);
    div_i16(MulInt, a, b, y);
    div_i32(Broadcast, a, b, y);
    div_i8(MulInt, a, b, y);
    div_u8(MulInt, a, b, y);
    elu_f32(Pure, x, y);
    equal_1(Broadcast, a, b, y);
    equal_f32(Broadcast, a, b, y);
    equal_i16(CompareInt, a, b, y);
    equal_i32(Broadcast, a, b, y);
    equal_i8(CompareInt, a, b, y);
    equal_u8(CompareInt, a, b, y);
    exp_f32(Pure, x, y);
    floor_div_f32(Broadcast, a, b, y);
    floor_div_i16(Broadcast, a, b, y);
    floor_div_i32(Broadcast, a, b, y);
    floor_div_i8(Broadcast, a, b, y);
    floor_f32(Pure, x, y);
    floor_mod_f32(Broadcast, a, b, y);
    floor_mod_i16(Broadcast, a, b, y);
    floor_mod_i32(Broadcast, a, b, y);
    floor_mod_i8(Broadcast, a, b, y);
    gather_1::<i8>(Gather, x, ids, y);
    gather_2::<i16>(Gather, x, ids, y);
    gather_4::<i32>(Gather, x, ids, y);
    gather_nd_1::<i8>(GatherNd, x, ids, y);
    gather_nd_2::<i16>(GatherNd, x, ids, y);
    gather_nd_4::<i32>(GatherNd, x, ids, y);
    gelu_f32(Pure, x, y);
    gelu_tanh_f32(Pure, x, y);
    hard_swish_f32(Pure, x, y);
    l2_normalize_f32(L2Normalize, x, y);
    l2_normalize_i8(L2NormalizeInt, x, y);
    l2_normalize_u8(L2NormalizeInt, x, y);
    l2_pool2d_f32(PoolF32, x, y);
    layer_norm_f32(LayerNorm, x, y);
    leaky_relu_f32(LeakyRelu, x, y);
    less_equal_f32(Broadcast, a, b, y);
    less_equal_i16(CompareInt, a, b, y);
    less_equal_i32(Broadcast, a, b, y);
    less_equal_i8(CompareInt, a, b, y);
    less_equal_u8(CompareInt, a, b, y);
    less_f32(Broadcast, a, b, y);
    less_i16(CompareInt, a, b, y);
    less_i32(Broadcast, a, b, y);
    less_i8(CompareInt, a, b, y);
    less_u8(CompareInt, a, b, y);
    log_f32(Pure, x, y);
    log_softmax_f32(LogSoftmax, x, y);
    log_softmax_i8(LogSoftmaxI8, x, y);
    log_softmax_u8(LogSoftmaxI8, x, y);
    logical_and_1(Broadcast, a, b, y);
    logical_not_1(Pure, x, y);
    logical_or_1(Broadcast, a, b, y);
    lstm_f32(LstmF32, x, h, c, y, n, m);
    lstm_hybrid_f32(LstmHybrid, x, h, c, y, n, m, integers);
    lstm_i8(LstmI8, x, h, c, y, n, m);
    lut_i8(Lut, x, y);
    lut_i8_u8(Lut, x, y);
    lut_u8(Lut, x, y);
    lut_u8_i8(Lut, x, y);
    matmul_f32(Matmul, a, b, y);
    matmul_i16(MatmulInt, a, b, y);
    matmul_i8(MatmulInt, a, b, y);
    max_f32(Reduce, x, y);
    max_i16(Reduce, x, y);
    max_i32(Reduce, x, y);
    max_i8(Reduce, x, y);
    max_pool2d_f32(PoolF32, x, y);
    max_pool2d_i16(PoolInt, x, y);
    max_pool2d_i8(PoolInt, x, y);
    max_pool2d_u8(PoolInt, x, y);
    max_u8(Reduce, x, y);
    maximum_f32(Broadcast, a, b, y);
    maximum_i16(Broadcast, a, b, y);
    maximum_i32(Broadcast, a, b, y);
    maximum_i8(Broadcast, a, b, y);
    maximum_u8(Broadcast, a, b, y);
    min_f32(Reduce, x, y);
    min_i16(Reduce, x, y);
    min_i32(Reduce, x, y);
    min_i8(Reduce, x, y);
    min_u8(Reduce, x, y);
    minimum_f32(Broadcast, a, b, y);
    minimum_i16(Broadcast, a, b, y);
    minimum_i32(Broadcast, a, b, y);
    minimum_i8(Broadcast, a, b, y);
    minimum_u8(Broadcast, a, b, y);
    mul_f32(ArithmeticF32, a, b, y);
    mul_i16(MulInt, a, b, y);
    mul_i32(Broadcast, a, b, y);
    mul_i8(MulInt, a, b, y);
    mul_u8(MulInt, a, b, y);
    neg_f32(Pure, x, y);
    neg_i32(Pure, x, y);
    not_equal_1(Broadcast, a, b, y);
    not_equal_f32(Broadcast, a, b, y);
    not_equal_i16(CompareInt, a, b, y);
    not_equal_i32(Broadcast, a, b, y);
    not_equal_i8(CompareInt, a, b, y);
    not_equal_u8(CompareInt, a, b, y);
    pad_1::<i8>(Pad, x, y);
    pad_2::<i16>(Pad, x, y);
    pad_4::<i32>(Pad, x, y);
    pow_f32(Broadcast, a, b, y);
    pow_i32(Broadcast, a, b, y);
    prelu_f32(Broadcast, x, alpha, y);
    prelu_i16(PreluInt, x, alpha, y);
    prelu_i8(PreluInt, x, alpha, y);
    prelu_u8(PreluInt, x, alpha, y);
    prod_f32(Reduce, x, y);
    prod_i32(Reduce, x, y);
    quantize_dynamic_f32(Dynamic, x, y);
    quantize_i16(Quant, x, y);
    quantize_i8(Quant, x, y);
    quantize_u8(Quant, x, y);
    rescale_i16(Rescale, x, y);
    rescale_i16_i32(Rescale, x, y);
    rescale_i16_i8(Rescale, x, y);
    rescale_i16_u8(Rescale, x, y);
    rescale_i32(Rescale, x, y);
    rescale_i32_i16(Rescale, x, y);
    rescale_i32_i8(Rescale, x, y);
    rescale_i32_u8(Rescale, x, y);
    rescale_i8_i16(Rescale, x, y);
    rescale_i8_i32(Rescale, x, y);
    rescale_u8_i16(Rescale, x, y);
    rescale_u8_i32(Rescale, x, y);
    resize_bilinear_f32(BilinearF32, x, y);
    resize_bilinear_i16(BilinearInt, x, y);
    resize_bilinear_i8(BilinearInt, x, y);
    resize_bilinear_u8(BilinearF32, x, y);
    resize_nearest_1::<i8>(ResizeNearest, x, y);
    resize_nearest_2::<i16>(ResizeNearest, x, y);
    resize_nearest_4::<i32>(ResizeNearest, x, y);
    round_f32(Pure, x, y);
    rsqrt_f32(Pure, x, y);
    rsqrt_i16(Rsqrt, x, y);
    samples_i16(Samples, x, y);
    select_1::<i8>(Select, condition, a, b, y);
    select_2::<i16>(Select, condition, a, b, y);
    select_4::<i32>(Select, condition, a, b, y);
    sigmoid_f32(Pure, x, y);
    sigmoid_i16(Curve, x, y);
    sin_f32(Pure, x, y);
    softmax_f32(Softmax, x, y);
    softmax_i16(SoftmaxI16, x, y);
    softmax_i8(SoftmaxI8, x, y);
    softmax_i8_i16(SoftmaxI8, x, y);
    softmax_u8(SoftmaxI8, x, y);
    sqrt_f32(Pure, x, y);
    sqrt_i16(Sqrt, x, y);
    square_f32(Pure, x, y);
    squared_difference_f32(Broadcast, a, b, y);
    squared_difference_i16(AddInt, a, b, y);
    squared_difference_i32(Broadcast, a, b, y);
    squared_difference_i8(AddInt, a, b, y);
    sub_f32(ArithmeticF32, a, b, y);
    sub_i16(AddInt, a, b, y);
    sub_i32(Broadcast, a, b, y);
    sub_i8(AddInt, a, b, y);
    sub_u8(AddInt, a, b, y);
    sum_f32(SumF32, x, y);
    sum_i16(SumInt, x, y);
    sum_i32(SumI32, x, y);
    sum_i8(SumInt, x, y);
    sum_u8(SumInt, x, y);
    svdf_f32(SvdfF32, x, s, y, n);
    svdf_hybrid_f32(SvdfHybrid, x, s, y, n);
    svdf_i16(SvdfI16, x, s, y, n);
    svdf_i8(SvdfI8, x, s, y, n);
    tanh_f32(Pure, x, y);
    tanh_i16(Curve, x, y);
    transpose_conv2d_f32(TransposeConvF32, x, y);
    transpose_conv2d_hybrid_f32(TransposeConvHybrid, x, y);
    transpose_conv2d_i16(TransposeConvI16, x, y);
    transpose_conv2d_i8(TransposeConvI8, x, y);
    transpose_conv2d_u8(TransposeConvU8, x, y);
}

/// An order of steps and a place for every tensor.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The steps in order.
    pub steps: Vec<PlannedStep>,
    /// Where each tensor is.
    pub places: Vec<Place>,
    /// How each tensor shares.
    pub shares: Vec<Shares>,
    /// Size of the arena.
    pub arena_bytes: usize,
}

impl Placement {
    /// Source order, every tensor and scratch apart, every call made.
    #[must_use]
    pub fn apart(program: &Program) -> Self {
        let mut arena_bytes = 0;
        let mut take = |bytes: usize| {
            let offset = arena_bytes;
            arena_bytes += bytes.next_multiple_of(4);
            offset
        };
        let mut places = Vec::new();
        for (index, tensor) in program.tensors.iter().enumerate() {
            places.push(match tensor.source {
                Source::Input(_) | Source::State(_) | Source::Step => {
                    Place::Arena { buffer: index, offset: take(tensor.ty.bytes()) }
                }
                Source::Static(id) => Place::Static { id, offset: 0 },
                Source::Unused => Place::Nowhere,
            });
        }
        let steps = program.steps.iter().enumerate().map(|(index, step)| PlannedStep {
            step: index,
            calls: (0..step.calls.len()).collect(),
            scratch: step.scratch.map(|scratch| {
                let start = take(scratch.bytes);
                start..start + scratch.bytes
            }),
        });
        let shares = vec![Shares::default(); places.len()];
        Self { steps: steps.collect(), places, shares, arena_bytes }
    }

    /// As planned.
    #[must_use]
    pub fn planned(plan: &Plan) -> Self {
        Self {
            steps: plan.steps.clone(),
            places: plan.places.clone(),
            shares: plan.shares.clone(),
            arena_bytes: plan.arena_bytes,
        }
    }

    /// The bytes of a tensor that lies in the arena.
    ///
    /// # Panics
    /// If it lies elsewhere.
    #[must_use]
    pub fn bytes(&self, program: &Program, tensor: TensorId, arena: &[u32]) -> Vec<u8> {
        let Place::Arena { offset, .. } = self.places[tensor.0] else { panic!("not in the arena") };
        bytemuck::cast_slice(arena)[offset..offset + program.tensor(tensor).ty.bytes()].to_vec()
    }

    /// An arena of the right size, each word `pattern`.
    #[must_use]
    pub fn arena(&self, pattern: u32) -> Vec<u32> {
        vec![pattern; self.arena_bytes.div_ceil(4)]
    }
}

/// A program with its constants in memory.
#[derive(Debug)]
pub struct Interpreter<'a> {
    program: &'a Program,
    statics: Vec<Words>,
    pieces: usize,
}

impl<'a> Interpreter<'a> {
    /// `program`, with the bytes of the external constants that it names.
    ///
    /// # Panics
    /// If an external constant is missing or a `const fn` has no row in the table.
    #[must_use]
    pub fn new(program: &'a Program, externals: &[Vec<u8>]) -> Self {
        let mut statics: Vec<Words> = Vec::new();
        for item in &program.statics {
            let words = match &item.init {
                Init::Bytes(bytes) => Words::new(bytes),
                Init::External(id) => Words::new(&externals[*id]),
                Init::ConstFn { function, args } => Constants(&statics).const_fn(function, item.len, args),
            };
            assert_eq!(words.bytes().len(), item.bytes(), "bytes of static {}", item.name);
            statics.push(words);
        }
        Self { program, statics, pieces: 1 }
    }

    /// What it runs.
    #[must_use]
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// With the units of every call split into this many parts.
    #[must_use]
    pub fn pieces(mut self, pieces: usize) -> Self {
        self.pieces = pieces.max(1);
        self
    }

    /// Runs once with every tensor apart, over an arena of garbage and new states: the bytes of each output.
    #[must_use]
    pub fn run_apart(&self, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let placement = Placement::apart(self.program);
        let mut arena = placement.arena(0xAAAA_AAAA);
        self.reset(&placement, &mut arena);
        self.run(&placement, &mut arena, inputs)
    }

    /// Gives every state its initial values.
    ///
    /// # Panics
    /// If the placement does not fit the program.
    pub fn reset(&self, placement: &Placement, arena: &mut [u32]) {
        let run = Run { interpreter: self, placement, arena: cells(arena), borrowed: &[] };
        for state in &self.program.states {
            let Some(Window::Arena(slot)) = run.window(state.tensor) else { panic!("a state is in the arena") };
            let bytes = match &state.init {
                StateInit::Splat(element) => element.repeat(slot.len() / element.len()),
                StateInit::Static(id) => self.statics[id.0].bytes().to_vec(),
            };
            slot.iter().zip(bytes).for_each(|(cell, byte)| cell.set(byte));
        }
    }

    /// Runs once: the bytes of each output. States that the placement does not update in place are copied after the
    /// run.
    ///
    /// # Panics
    /// If the placement does not fit the program, or an input has the wrong size.
    #[must_use]
    pub fn run(&self, placement: &Placement, arena: &mut [u32], inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let arena = cells(arena);
        let borrowed: Vec<Words> = inputs.iter().map(|bytes| Words::new(bytes)).collect();
        let run = Run { interpreter: self, placement, arena, borrowed: &borrowed };
        assert_eq!(inputs.len(), self.program.inputs.len(), "number of inputs");
        for (input, bytes) in self.program.inputs.iter().zip(inputs) {
            assert_eq!(bytes.len(), self.program.tensor(input.tensor).ty.bytes(), "bytes of an input");
            if let Some(Window::Arena(slot)) = run.window(input.tensor) {
                slot.iter().zip(bytes).for_each(|(cell, byte)| cell.set(*byte));
            }
        }
        for step in &placement.steps {
            run.step(step);
        }
        let outputs = self.program.outputs.iter();
        let outputs =
            outputs.map(|output| run.window(output.tensor).expect("an output has a place").to_vec()).collect();
        for state in &self.program.states {
            if let (Some(Window::Arena(old)), Some(new)) = (run.window(state.tensor), run.window(state.next)) {
                old.iter().zip(new.to_vec()).for_each(|(cell, byte)| cell.set(byte));
            }
        }
        outputs
    }
}

struct Run<'a> {
    interpreter: &'a Interpreter<'a>,
    placement: &'a Placement,
    arena: &'a [Cell<u8>],
    borrowed: &'a [Words],
}

impl<'a> Run<'a> {
    fn window(&self, tensor: TensorId) -> Option<Window<'a>> {
        let bytes = self.interpreter.program.tensor(tensor).ty.bytes();
        match self.placement.places[tensor.0] {
            Place::Arena { offset, .. } => {
                let extent = self.placement.shares[tensor.0].extent(bytes);
                Some(Window::Arena(&self.arena[offset..offset + extent]))
            }
            Place::Borrowed { input, offset } => {
                Some(Window::Constant(&self.borrowed[input].bytes()[offset..offset + bytes]))
            }
            Place::Static { id, offset } => {
                Some(Window::Constant(&self.interpreter.statics[id.0].bytes()[offset..offset + bytes]))
            }
            Place::Nowhere => None,
        }
    }

    fn step(&self, planned: &PlannedStep) {
        let program = self.interpreter.program;
        let step = &program.steps[planned.step];
        for &index in &planned.calls {
            let todo = planned.call(program, &self.placement.shares, index);
            let windows: Vec<Window<'_>> = todo
                .operands
                .iter()
                .map(|operand| match operand {
                    Operand::Read(i) => self.window(step.reads[*i]).expect("an argument has a place"),
                    Operand::Write(i) => self.window(step.writes[*i]).expect("a result has a place"),
                    Operand::Scratch => {
                        Window::Arena(&self.arena[planned.scratch.clone().expect("scratch is planned")])
                    }
                })
                .collect();
            let pieces = self.interpreter.pieces.min(todo.units.max(1));
            let direction = planned.direction(program, &self.placement.shares, &todo);
            for piece in 0..pieces {
                let part = |piece: usize| todo.units * piece / pieces..todo.units * (piece + 1) / pieces;
                let units = match direction {
                    Direction::Forward => Units::forward(part(piece)),
                    Direction::Backward => Units::backward(part(pieces - 1 - piece)),
                };
                call(&todo, &windows, Constants(&self.interpreter.statics), units);
            }
        }
    }
}

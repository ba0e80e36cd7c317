//! A layer as the words describe it.

use core::cell::Cell;
use core::ops::Range;
use waterline::kernels::strides::{Axis, OUTER};
use waterline::kernels::{
    self, AddWeightedI8, BlockedI8, Broadcast, Bytes, Clamp, Conv, ConvBlockedI8, ConvF32, ConvI8, ConvPackedI8, Dense,
    DenseBlockedI8, DenseF32, DenseI8, DensePackedI8, Depthwise, DepthwiseF32, DepthwiseI8, DepthwisePackedI8,
    DepthwisePlanesI8, MulInt, PackedI8, PlanesI8, Pool, PoolInt, Reduce, Requantize, Rows, Slide, SumInt, Taps, Units,
    WeightsF32, WeightsI8,
};

/// The words that are still to be read, as bytes. Lists go to the end of where they are put.
#[derive(Clone, Copy)]
pub(crate) struct List(pub(crate) &'static [u8]);

impl List {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }

    /// A list of integers.
    fn integers<'a>(&mut self, to: &'a mut [i32]) -> Option<&'a [i32]> {
        let len = self.size()?;
        let from = to.len() - len;
        let to = &mut to[from..];
        for integer in &mut *to {
            *integer = self.word()?.cast_signed();
        }
        Some(to)
    }

    /// A list of bytes.
    fn bytes<'a>(&mut self, to: &'a mut [u8]) -> Option<&'a [u8]> {
        let len = self.size()?;
        let from = to.len() - len;
        let to = &mut to[from..];
        for chunk in to.chunks_mut(4) {
            for (byte, value) in chunk.iter_mut().zip(self.word()?.to_le_bytes()) {
                *byte = value;
            }
        }
        Some(to)
    }
}

/// A layer: its kernel, argument and result.
pub(crate) struct Layer<'a> {
    /// Its index in `tests/src/machine.rs`.
    pub(crate) kernel: u32,
    params: Params<'a>,
    pub(crate) units: Range<usize>,
    /// The arguments, one after the other.
    pub(crate) x: &'a [u8],
    /// Bytes of scratch.
    pub(crate) scratch: usize,
    pub(crate) y: &'a [u8],
    /// Bytes that the result may start before the argument, and after it where the last unit comes first.
    pub(crate) distances: [Option<usize>; 2],
}

enum Params<'a> {
    Conv(ConvPackedI8<'a>),
    Dense(DensePackedI8<'a>),
    Direct(DensePackedI8<'a>),
    Depthwise(DepthwisePackedI8<'a>),
    Depthwise3x3(DepthwisePackedI8<'a>),
    ConvBlocked(ConvBlockedI8<'a>),
    DenseBlocked(DenseBlockedI8<'a>),
    Planes(DepthwisePlanesI8<'a>),
    PlanesRing(DepthwisePlanesI8<'a>),
    Ring(DepthwiseI8<'a>),
    Row(DenseI8<'a>),
    ConvPlain(ConvI8<'a>),
    DepthwisePlain(DepthwiseI8<'a>),
    Sum(AddWeightedI8),
    ConvReal(ConvF32<'a>),
    DenseReal(DenseF32<'a>),
    DepthwiseReal(DepthwiseF32<'a>),
    Product(MulInt),
    /// The largest or the average, of i8 or of u8.
    Pool(PoolInt, bool, bool),
    /// Of i8 or of u8.
    Total(SumInt<'a>, bool),
}

impl<'a> Layer<'a> {
    /// The next layer, whose lists go to the slices; `None` at the end.
    pub(crate) fn read(
        list: &mut List,
        words: &'a mut [i32],
        bytes: &'a mut [u8],
        given: &'a mut [u8],
        wanted: &'a mut [u8],
    ) -> Option<Self> {
        let kernel = list.word()?;
        let units = list.size()?..list.size()?;
        let mut integers = [0; 64];
        let integers = list.integers(&mut integers)?;
        let mut fields =
            Fields { integers, words: list.integers(words)?, bytes: bytemuck::cast_slice(list.bytes(bytes)?) };
        let params = match kernel {
            0 => Params::Conv(ConvPackedI8 { shape: fields.conv(), layer: fields.packed() }),
            1 => Params::Dense(DensePackedI8 { shape: fields.dense(), layer: fields.packed() }),
            3 => Params::Direct(DensePackedI8 { shape: fields.dense(), layer: fields.packed() }),
            4 => Params::ConvBlocked(ConvBlockedI8 { shape: fields.conv(), layer: fields.blocked() }),
            5 => Params::DenseBlocked(DenseBlockedI8 { shape: fields.dense(), layer: fields.blocked() }),
            6 => Params::Planes(DepthwisePlanesI8 { shape: fields.depthwise(), layer: fields.planes() }),
            7 => Params::Row(DenseI8 { shape: fields.dense(), layer: fields.weights() }),
            8 => Params::ConvPlain(ConvI8 { shape: fields.conv(), layer: fields.weights() }),
            9 => Params::Sum(fields.sum()),
            10 => Params::ConvReal(ConvF32 { shape: fields.conv(), layer: fields.reals() }),
            11 => Params::DenseReal(DenseF32 { shape: fields.dense(), layer: fields.reals() }),
            12 => Params::DepthwiseReal(DepthwiseF32 { shape: fields.depthwise(), layer: fields.reals() }),
            13 => Params::Depthwise3x3(DepthwisePackedI8 { shape: fields.depthwise(), layer: fields.packed() }),
            14..18 => Params::Pool(fields.pool(), kernel < 16, kernel % 2 == 0),
            20 => Params::Product(fields.product()),
            18 | 19 => Params::Total(fields.total(), kernel % 2 == 0),
            21 => Params::DepthwisePlain(DepthwiseI8 { shape: fields.depthwise(), layer: fields.weights() }),
            22 => Params::PlanesRing(DepthwisePlanesI8 { shape: fields.depthwise(), layer: fields.planes() }),
            23 => Params::Ring(DepthwiseI8 { shape: fields.depthwise(), layer: fields.weights() }),
            _ => Params::Depthwise(DepthwisePackedI8 { shape: fields.depthwise(), layer: fields.packed() }),
        };
        let x = list.bytes(given)?;
        let scratch = list.size()?;
        let y = list.bytes(wanted)?;
        let mut distance = || list.word().map(|word| (word != u32::MAX).then_some(word as usize));
        let distances = [distance()?, distance()?];
        Some(Self { kernel, params, units, x, scratch, y, distances })
    }

    /// Whether scratch may start at any byte.
    pub(crate) fn scratch_is_bytes(&self) -> bool {
        matches!(
            self.params,
            Params::ConvBlocked(_)
                | Params::DenseBlocked(_)
                | Params::Planes(_)
                | Params::PlanesRing(_)
                | Params::Ring(_)
        )
    }

    /// Bytes by which a window is shifted in round `index`: of elements of four bytes by whole ones, and one by two
    /// bytes only, where the machine's kernels leave a layer to the portable ones.
    pub(crate) fn shift(&self, index: usize) -> usize {
        match self.params {
            Params::ConvReal(_) | Params::DenseReal(_) | Params::DepthwiseReal(_) => [0, 4, 8, 2][index],
            _ => index,
        }
    }

    pub(crate) fn run(&self, given: &[Cell<u8>], result: &[Cell<u8>], scratch: &[Cell<u8>], units: Units) {
        let (bytes, words) = (Bytes::<i8>::new(scratch), Bytes::<i32>::new(scratch));
        let (x, y) = (Bytes::<i8>::new(given), Bytes::<i8>::new(result));
        let (reals, real_results) = (Bytes::<f32>::new(given), Bytes::<f32>::new(result));
        match &self.params {
            Params::Conv(p) => kernels::conv2d_packed_i8(p, x, y, words, units),
            Params::Dense(p) => kernels::dense_packed_i8(p, x, y, words, units),
            Params::Direct(p) => kernels::dense_direct_i8(p, x, y, units),
            Params::Depthwise(p) => kernels::depthwise_conv2d_packed_i8(p, x, y, words, units),
            Params::Depthwise3x3(p) => kernels::depthwise_conv2d_3x3_i8(p, x, y, units),
            Params::ConvBlocked(p) => kernels::conv2d_blocked_i8(p, x, y, bytes, units),
            Params::DenseBlocked(p) => kernels::dense_blocked_i8(p, x, y, bytes, units),
            Params::Planes(p) => kernels::depthwise_conv2d_planes_i8(p, x, y, bytes, units),
            Params::PlanesRing(p) => kernels::depthwise_conv2d_planes_ring_i8(p, x, y, bytes, units),
            Params::Ring(p) => kernels::depthwise_conv2d_ring_i8(p, x, y, bytes, units),
            Params::Row(p) => kernels::dense_i8(p, x, y, units),
            Params::ConvPlain(p) => kernels::conv2d_i8(p, x, y, units),
            Params::DepthwisePlain(p) => kernels::depthwise_conv2d_i8(p, x, y, units),
            Params::Sum(p) => {
                let (a, b) = given.split_at(given.len() / 2);
                kernels::add_weighted_i8(p, Bytes::new(a), Bytes::new(b), y, units);
            }
            Params::ConvReal(p) => kernels::conv2d_f32(p, reals, real_results, units),
            Params::DenseReal(p) => kernels::dense_f32(p, reals, real_results, units),
            Params::DepthwiseReal(p) => kernels::depthwise_conv2d_f32(p, reals, real_results, units),
            Params::Product(p) => {
                // An argument that is not as large as the result comes second, or is one element.
                let first = if p.pairs.steps[0] == 0 { 1 } else { result.len() };
                let (a, b) = given.split_at(first);
                kernels::mul_i8(p, Bytes::new(a), Bytes::new(b), y, units);
            }
            Params::Pool(p, true, true) => kernels::max_pool2d_i8(p, x, y, units),
            Params::Pool(p, true, false) => kernels::max_pool2d_u8(p, given, result, units),
            Params::Pool(p, false, true) => kernels::avg_pool2d_i8(p, x, y, units),
            Params::Pool(p, false, false) => kernels::avg_pool2d_u8(p, given, result, units),
            Params::Total(p, true) => kernels::sum_i8(p, x, y, units),
            Params::Total(p, false) => kernels::sum_u8(p, given, result, units),
        }
    }
}

/// What of a parameter structure is still to be read, in the order that the planner has it.
struct Fields<'i, 'a> {
    integers: &'i [i32],
    words: &'a [i32],
    bytes: &'a [i8],
}

impl<'a> Fields<'_, 'a> {
    fn integer(&mut self) -> i32 {
        let Some((first, rest)) = self.integers.split_first() else { return 0 };
        self.integers = rest;
        *first
    }

    fn words(&mut self) -> &'a [i32] {
        let (words, rest) = self.words.split_at(self.size());
        self.words = rest;
        words
    }

    fn bytes(&mut self) -> &'a [i8] {
        let (bytes, rest) = self.bytes.split_at(self.size());
        self.bytes = rest;
        bytes
    }

    fn size(&mut self) -> usize {
        usize::try_from(self.integer()).unwrap_or(0)
    }

    fn taps(&mut self) -> Taps {
        Taps {
            input: self.size(),
            output: self.size(),
            taps: self.size(),
            stride: self.size(),
            dilation: self.size(),
            before: self.size(),
        }
    }

    fn rows(&mut self) -> Rows {
        Rows { stride: self.size(), held: self.size() }
    }

    fn slide(&mut self) -> Slide {
        Slide { y: self.taps(), x: self.taps(), from: self.rows(), to: self.rows(), pixel: self.size() }
    }

    fn conv(&mut self) -> Conv {
        Conv { slide: self.slide(), groups: self.size(), inputs: self.size(), outputs: self.size() }
    }

    fn dense(&mut self) -> Dense {
        Dense { inputs: self.size(), outputs: self.size(), from: self.rows(), to: self.rows() }
    }

    fn depthwise(&mut self) -> Depthwise {
        Depthwise { slide: self.slide(), channels: self.size(), multiplier: self.size() }
    }

    fn real(&mut self) -> f32 {
        f32::from_bits(self.integer().cast_unsigned())
    }

    fn sum(&mut self) -> AddWeightedI8 {
        AddWeightedI8 {
            weights: [self.integer(), self.integer()],
            offset: self.integer(),
            min: self.integer(),
            max: self.integer(),
        }
    }

    fn pool(&mut self) -> PoolInt {
        let shape = Pool { slide: self.slide(), channels: self.size() };
        PoolInt { shape, min: self.integer(), max: self.integer() }
    }

    fn product(&mut self) -> MulInt {
        MulInt {
            pairs: Broadcast { run: self.size(), steps: [self.size(), self.size()], axes: self.axes() },
            arg_zero_points: [self.integer(), self.integer()],
            multiplier: self.integer(),
            shift: self.integer(),
            zero_point: self.integer(),
            min: self.integer(),
            max: self.integer(),
        }
    }

    fn axes(&mut self) -> [Axis; OUTER] {
        [(); OUTER].map(|()| Axis { size: self.size(), strides: [self.integer() as isize, self.integer() as isize] })
    }

    fn total(&mut self) -> SumInt<'a> {
        let (kept, reduced) = (self.axes(), self.axes());
        let shape = Reduce { kept, reduced, runs: self.size(), run: self.size(), step: self.size() };
        SumInt { shape, zero_points: self.integer(), result: self.requantize() }
    }

    fn requantize(&mut self) -> Requantize<'a> {
        Requantize {
            multipliers: self.words(),
            shifts: self.bytes(),
            zero_point: self.integer(),
            min: self.integer(),
            max: self.integer(),
        }
    }

    fn reals(&mut self) -> WeightsF32<'a> {
        WeightsF32 {
            weights: bytemuck::cast_slice(self.words()),
            bias: bytemuck::cast_slice(self.words()),
            result: Clamp { min: self.real(), max: self.real() },
        }
    }

    fn weights(&mut self) -> WeightsI8<'a> {
        WeightsI8 { weights: self.bytes(), bias: self.words(), zero_point: self.integer(), result: self.requantize() }
    }

    fn blocked(&mut self) -> BlockedI8<'a> {
        BlockedI8 {
            blocked: self.words(),
            blocks: self.size(),
            channels: self.size(),
            from: self.integer(),
            to: self.integer(),
            min: self.integer(),
            max: self.integer(),
        }
    }

    fn planes(&mut self) -> PlanesI8<'a> {
        PlanesI8 {
            blocked: self.words(),
            blocks: self.size(),
            pitch: self.size(),
            plane: self.size(),
            part: self.size(),
            from: self.integer(),
            to: self.integer(),
            min: self.integer(),
            max: self.integer(),
        }
    }

    fn packed(&mut self) -> PackedI8<'a> {
        PackedI8 {
            packed: self.words(),
            pairs: self.size(),
            channels: self.size(),
            from: self.integer(),
            to: self.integer(),
            min: self.integer(),
            max: self.integer(),
        }
    }
}

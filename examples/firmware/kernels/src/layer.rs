//! A layer as the words describe it.

use core::cell::Cell;
use waterline::kernels::{
    self, BlockedI8, Bytes, Conv, ConvBlockedI8, ConvPackedI8, Dense, DenseBlockedI8, DenseI8, DensePackedI8,
    Depthwise, DepthwisePackedI8, DepthwisePlanesI8, PackedI8, PlanesI8, Requantize, Rows, Slide, Taps, Units,
    WeightsI8,
};

/// The words that are still to be read, as bytes.
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
        for integer in &mut to[..len] {
            *integer = self.word()?.cast_signed();
        }
        Some(&to[..len])
    }

    /// A list of bytes.
    fn bytes<'a>(&mut self, to: &'a mut [i8]) -> Option<&'a [i8]> {
        let len = self.size()?;
        for chunk in to[..len].chunks_mut(4) {
            for (byte, value) in chunk.iter_mut().zip(self.word()?.to_le_bytes()) {
                *byte = value.cast_signed();
            }
        }
        Some(&to[..len])
    }
}

/// A layer: its kernel, argument and result.
pub(crate) struct Layer<'a> {
    /// Its index in `tests/src/machine.rs`.
    pub(crate) kernel: u32,
    params: Params<'a>,
    pub(crate) units: usize,
    pub(crate) x: &'a [i8],
    /// Bytes of scratch.
    pub(crate) scratch: usize,
    pub(crate) y: &'a [i8],
}

enum Params<'a> {
    Conv(ConvPackedI8<'a>),
    Dense(DensePackedI8<'a>),
    Direct(DensePackedI8<'a>),
    Depthwise(DepthwisePackedI8<'a>),
    ConvBlocked(ConvBlockedI8<'a>),
    DenseBlocked(DenseBlockedI8<'a>),
    Planes(DepthwisePlanesI8<'a>),
    Row(DenseI8<'a>),
}

impl<'a> Layer<'a> {
    /// The next layer, whose lists go to the slices; `None` at the end.
    pub(crate) fn read(
        list: &mut List,
        words: &'a mut [i32],
        bytes: &'a mut [i8],
        given: &'a mut [i8],
        wanted: &'a mut [i8],
    ) -> Option<Self> {
        let kernel = list.word()?;
        let units = list.size()?;
        let mut integers = [0; 64];
        let integers = list.integers(&mut integers)?;
        let mut fields = Fields { integers, words: list.integers(words)?, bytes: list.bytes(bytes)? };
        let params = match kernel {
            0 => Params::Conv(ConvPackedI8 { shape: fields.conv(), layer: fields.packed() }),
            1 => Params::Dense(DensePackedI8 { shape: fields.dense(), layer: fields.packed() }),
            3 => Params::Direct(DensePackedI8 { shape: fields.dense(), layer: fields.packed() }),
            4 => Params::ConvBlocked(ConvBlockedI8 { shape: fields.conv(), layer: fields.blocked() }),
            5 => Params::DenseBlocked(DenseBlockedI8 { shape: fields.dense(), layer: fields.blocked() }),
            6 => Params::Planes(DepthwisePlanesI8 { shape: fields.depthwise(), layer: fields.planes() }),
            7 => Params::Row(DenseI8 { shape: fields.dense(), layer: fields.weights() }),
            _ => Params::Depthwise(DepthwisePackedI8 { shape: fields.depthwise(), layer: fields.packed() }),
        };
        let x = list.bytes(given)?;
        let scratch = list.size()?;
        Some(Self { kernel, params, units, x, scratch, y: list.bytes(wanted)? })
    }

    /// Whether scratch may start at any byte.
    pub(crate) fn scratch_is_bytes(&self) -> bool {
        matches!(self.params, Params::ConvBlocked(_) | Params::DenseBlocked(_) | Params::Planes(_))
    }

    pub(crate) fn run(&self, x: &[Cell<i8>], y: &[Cell<i8>], scratch: &[Cell<u8>], units: Units) {
        let (bytes, words) = (Bytes::<i8>::new(scratch), Bytes::<i32>::new(scratch));
        match &self.params {
            Params::Conv(p) => kernels::conv2d_packed_i8(p, x, y, words, units),
            Params::Dense(p) => kernels::dense_packed_i8(p, x, y, words, units),
            Params::Direct(p) => kernels::dense_direct_i8(p, x, y, units),
            Params::Depthwise(p) => kernels::depthwise_conv2d_packed_i8(p, x, y, words, units),
            Params::ConvBlocked(p) => kernels::conv2d_blocked_i8(p, x, y, bytes, units),
            Params::DenseBlocked(p) => kernels::dense_blocked_i8(p, x, y, bytes, units),
            Params::Planes(p) => kernels::depthwise_conv2d_planes_i8(p, x, y, bytes, units),
            Params::Row(p) => kernels::dense_i8(p, x, y, units),
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

    fn weights(&mut self) -> WeightsI8<'a> {
        WeightsI8 {
            weights: self.bytes(),
            bias: self.words(),
            zero_point: self.integer(),
            result: Requantize {
                multipliers: self.words(),
                shifts: self.bytes(),
                zero_point: self.integer(),
                min: self.integer(),
                max: self.integer(),
            },
        }
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

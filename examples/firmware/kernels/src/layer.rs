//! A layer as the words describe it.

use core::cell::Cell;
use core::ops::Range;
use waterline::kernels::{
    self, Conv, ConvPackedI8, Dense, DensePackedI8, Depthwise, DepthwisePackedI8, PackedI8, Rows, Slide, Taps,
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
    params: Params<'a>,
    pub(crate) units: usize,
    pub(crate) x: &'a [i8],
    /// Words of scratch.
    pub(crate) scratch: usize,
    pub(crate) y: &'a [i8],
}

enum Params<'a> {
    Conv(ConvPackedI8<'a>),
    Dense(DensePackedI8<'a>),
    Direct(DensePackedI8<'a>),
    Depthwise(DepthwisePackedI8<'a>),
}

impl<'a> Layer<'a> {
    /// The next layer, whose lists go to the slices; `None` at the end.
    pub(crate) fn read(
        list: &mut List,
        packed: &'a mut [i32],
        given: &'a mut [i8],
        wanted: &'a mut [i8],
    ) -> Option<Self> {
        let kernel = list.word()?;
        let units = list.size()?;
        let mut integers = [0; 64];
        let mut fields = Fields(list.integers(&mut integers)?);
        let packed = list.integers(packed)?;
        let params = match kernel {
            0 => Params::Conv(ConvPackedI8 { shape: fields.conv(), layer: fields.layer(packed) }),
            1 => Params::Dense(DensePackedI8 { shape: fields.dense(), layer: fields.layer(packed) }),
            3 => Params::Direct(DensePackedI8 { shape: fields.dense(), layer: fields.layer(packed) }),
            _ => Params::Depthwise(DepthwisePackedI8 { shape: fields.depthwise(), layer: fields.layer(packed) }),
        };
        let x = list.bytes(given)?;
        let scratch = list.size()?;
        Some(Self { params, units, x, scratch, y: list.bytes(wanted)? })
    }

    pub(crate) fn run(&self, x: &[Cell<i8>], y: &[Cell<i8>], scratch: &[Cell<i32>], units: Range<usize>) {
        match &self.params {
            Params::Conv(p) => kernels::conv2d_packed_i8(p, x, y, scratch, units),
            Params::Dense(p) => kernels::dense_packed_i8(p, x, y, scratch, units),
            Params::Direct(p) => kernels::dense_direct_i8(p, x, y, units),
            Params::Depthwise(p) => kernels::depthwise_conv2d_packed_i8(p, x, y, scratch, units),
        }
    }
}

/// The integers of a parameter structure that are still to be read, in the order that the planner has them.
struct Fields<'a>(&'a [i32]);

impl Fields<'_> {
    fn integer(&mut self) -> i32 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
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

    fn layer<'w>(&mut self, packed: &'w [i32]) -> PackedI8<'w> {
        PackedI8 {
            packed,
            pairs: self.size(),
            channels: self.size(),
            from: self.integer(),
            to: self.integer(),
            min: self.integer(),
            max: self.integer(),
        }
    }
}

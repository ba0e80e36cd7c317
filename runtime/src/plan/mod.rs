//! The plan of a network as data: what `PLAN` of a generated module says.

mod display;

pub use display::Map;

use crate::Quant;
use core::fmt;

/// A planned network. Indices are into its own lists.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The network's name.
    pub name: &'static str,
    /// Size of the arena.
    pub arena_bytes: usize,
    /// Alignment of the arena.
    pub arena_align: usize,
    /// Size of an arena without any reuse.
    pub separate_bytes: usize,
    /// Most bytes live at once in this order when buffers are whole and apart.
    pub classic_bound_bytes: usize,
    /// No plan of this order can need less under the sharing rules in force.
    pub lower_bound_bytes: usize,
    /// Size of the weights in flash.
    pub weight_bytes: usize,
    /// Size of the parameters as the model has them; kernels may need theirs in other layouts.
    pub param_bytes: usize,
    /// Multiply-accumulates of one run.
    pub macs: u64,
    /// The order of steps that was used.
    pub order: &'static str,
    /// The layout that was used.
    pub layout: &'static str,
    /// Some weights are `random`: the plan is real, the numbers are not.
    pub placeholder: bool,
    /// The tensors that exist at run time, in order of definition.
    pub tensors: &'static [Tensor],
    /// The steps, in order of execution.
    pub steps: &'static [Step],
    /// The inputs, in order of declaration.
    pub inputs: &'static [Input],
    /// The outputs, in order of declaration.
    pub outputs: &'static [Output],
    /// The states, in order of declaration.
    pub states: &'static [State],
    /// The buffers of the arena, scratch included.
    pub buffers: &'static [Buffer],
    /// What happens to tensors, in order.
    pub events: &'static [Event],
}

/// A tensor.
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    /// Its name.
    pub name: &'static str,
    /// Its element type.
    pub dtype: DType,
    /// Its dimensions, outermost first.
    pub shape: &'static [usize],
    /// Its quantisation, if it has one.
    pub quant: Option<Quant>,
    /// Where its bytes are.
    pub place: Place,
    /// Size in bytes, without gaps where it is spread.
    pub size: usize,
    /// The first step at which its bytes are its own; 0 for an input.
    pub first: usize,
    /// The last step at which its bytes are its own.
    pub last: usize,
    /// How it comes to share bytes with another tensor.
    pub shares: Shares,
}

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DType {
    /// 32-bit floating point.
    F32,
    /// 8-bit signed.
    I8,
    /// 8-bit unsigned.
    U8,
    /// 16-bit signed.
    I16,
    /// 32-bit signed.
    I32,
    /// 64-bit signed.
    I64,
    /// A byte, 0 or 1.
    Bool,
}

impl DType {
    /// Bytes of one element, which is also its alignment.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::I16 => 2,
            Self::I8 | Self::U8 | Self::Bool => 1,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Bool => "bool",
        })
    }
}

/// Where the bytes of a tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the arena.
    Arena {
        /// Bytes from its start.
        offset: usize,
    },
    /// In a borrowed input.
    Borrowed {
        /// Index of the input.
        input: usize,
        /// Bytes from its start.
        offset: usize,
    },
    /// In flash.
    Constant {
        /// The bytes.
        bytes: &'static [u8],
    },
}

/// How a tensor of the arena comes to share bytes with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Its bytes are a part of this tensor's and hold the same values: a view, or a part of a concat.
    pub inside: Option<usize>,
    /// Its first step writes it over this tensor, which is last read there.
    pub over: Option<usize>,
    /// Its first step writes it partly over a tensor that is read ahead, and for the last time there.
    pub ahead: Option<Ahead>,
    /// How it lies inside that tensor if not in one piece: a part of a concat along an inner dimension.
    pub spread: Option<Spread>,
}

/// How far a kernel must read ahead of what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The tensor that is read.
    pub of: usize,
    /// The kernel walks from the last byte to the first, and the result starts above the tensor, not below it.
    pub backward: bool,
    /// The starts of both may be so many bytes apart, or more, if they are a multiple of `multiple` apart.
    pub from: usize,
    /// See `from`.
    pub multiple: usize,
    /// The starts of both may be so many bytes apart, or more.
    pub any: usize,
}

/// Runs of bytes with gaps between them, which belong to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Bytes of a run.
    pub run: usize,
    /// Bytes from the start of a run to the start of the next.
    pub stride: usize,
}

/// A step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its place in the order of execution.
    pub index: usize,
    /// Its name: that of its first result.
    pub name: &'static str,
    /// The operator.
    pub op: &'static str,
    /// The tensors that it reads.
    pub reads: &'static [usize],
    /// The tensors that it writes.
    pub writes: &'static [usize],
    /// The bytes of the arena that it needs for itself while it runs.
    pub scratch: Option<Span>,
    /// Multiply-accumulates.
    pub macs: u64,
}

/// A stretch of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Bytes from the arena's start.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
}

/// A value given by the caller.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// The tensor that it fills.
    pub tensor: usize,
    /// How its bytes are held.
    pub mode: InputMode,
}

/// How the bytes of an input are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// In the arena, reused after its last reader.
    Plain,
    /// In the arena, unchanged by a run.
    Kept,
    /// Outside the arena, passed by reference.
    Borrowed,
}

/// A value handed to the caller.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Its name.
    pub name: &'static str,
    /// The tensor that it shows.
    pub tensor: usize,
    /// It can be read until the next run writes it.
    pub kept: bool,
}

/// A value kept between runs.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Its name.
    pub name: &'static str,
    /// The tensor that holds what the run before left.
    pub tensor: usize,
    /// The tensor that holds what this run leaves, in the same place.
    pub next: usize,
}

/// Bytes of the arena that belong together: a tensor, its views, what shares its place; or scratch.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The name of the tensor that founded it.
    pub name: &'static str,
    /// Bytes from the arena's start.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
    /// The first step at which it is live.
    pub first: usize,
    /// The last step at which it is live.
    pub last: usize,
}

/// What happens to a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Its bytes become its own.
    Alloc,
    /// A step writes it.
    Exec,
    /// Its bytes are free again.
    Free,
}

/// A row of the event table.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// What happens.
    pub kind: EventKind,
    /// To which tensor.
    pub tensor: usize,
    /// In which buffer.
    pub buffer: usize,
    /// At which step.
    pub step: usize,
}

/// The elements of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Values<'a> {
    /// 32-bit floating point.
    F32(&'a [f32]),
    /// 8-bit signed.
    I8(&'a [i8]),
    /// 8-bit unsigned.
    U8(&'a [u8]),
    /// 16-bit signed.
    I16(&'a [i16]),
    /// 32-bit signed.
    I32(&'a [i32]),
    /// 64-bit signed.
    I64(&'a [i64]),
    /// Bytes, 0 or 1.
    Bool(&'a [u8]),
}

impl Tensor {
    /// The bytes of the arena from its first to its last, gaps included where it is spread; `None` if it
    /// is not there.
    #[must_use]
    pub const fn span(&self) -> Option<Span> {
        let Place::Arena { offset } = self.place else { return None };
        let Some(Spread { run, stride }) = self.shares.spread else { return Some(Span { offset, size: self.size }) };
        let gaps = match self.size.checked_div(run) {
            Some(runs) => runs.saturating_sub(1),
            None => 0,
        };
        Some(Span { offset, size: gaps.saturating_mul(stride).saturating_add(run) })
    }

    /// The bytes of the arena that are its own, piece by piece: one, or a run each where it is spread.
    pub fn pieces(&self) -> impl Iterator<Item = Span> + '_ {
        core::iter::successors(self.piece_from(0), |piece| self.piece_from(piece.end()))
    }

    /// The first of its pieces that ends after byte `at`.
    pub(crate) fn piece_from(&self, at: usize) -> Option<Span> {
        let span = self.span().filter(|span| at < span.end())?;
        let Some(Spread { run, stride }) = self.shares.spread else { return Some(span) };
        let into = at.saturating_sub(span.offset);
        let index = into.checked_div(stride)?;
        let past = into.checked_rem(stride)? >= run;
        let start = index.saturating_add(usize::from(past)).saturating_mul(stride);
        Some(Span { offset: span.offset.saturating_add(start), size: run })
    }

    /// Its elements in `arena`, which is all of the network's arena; `None` if it lies elsewhere or is spread:
    /// then the tensor that it is inside has its elements too.
    #[must_use]
    pub fn values<'a>(&self, arena: &'a [u8]) -> Option<Values<'a>> {
        if self.shares.spread.is_some() {
            return None;
        }
        let bytes = self.span()?.of(arena)?;
        match self.dtype {
            DType::F32 => bytemuck::try_cast_slice(bytes).ok().map(Values::F32),
            DType::I8 => bytemuck::try_cast_slice(bytes).ok().map(Values::I8),
            DType::U8 => Some(Values::U8(bytes)),
            DType::I16 => bytemuck::try_cast_slice(bytes).ok().map(Values::I16),
            DType::I32 => bytemuck::try_cast_slice(bytes).ok().map(Values::I32),
            DType::I64 => bytemuck::try_cast_slice(bytes).ok().map(Values::I64),
            DType::Bool => Some(Values::Bool(bytes)),
        }
    }
}

impl Span {
    /// The byte after the last.
    #[must_use]
    pub const fn end(self) -> usize {
        self.offset.saturating_add(self.size)
    }

    /// The bytes of `arena` that it covers; `None` if it leaves it.
    #[must_use]
    pub fn of(self, arena: &[u8]) -> Option<&[u8]> {
        arena.get(self.offset..self.end())
    }

    /// It holds every byte of `other`.
    #[must_use]
    pub const fn covers(self, other: Self) -> bool {
        self.offset <= other.offset && other.end() <= self.end()
    }

    /// The bytes of both.
    #[must_use]
    pub const fn common(self, other: Self) -> Self {
        let offset = if self.offset > other.offset { self.offset } else { other.offset };
        let end = if self.end() < other.end() { self.end() } else { other.end() };
        Self { offset, size: end.saturating_sub(offset) }
    }

    /// Both have a byte in common.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.offset < other.end() && other.offset < self.end()
    }
}

impl fmt::Display for Span {
    /// As a range, `0..256`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.offset, self.end())
    }
}

impl Step {
    /// The tensors of `plan` that it writes.
    pub fn results(&self, plan: &'static Plan) -> impl Iterator<Item = &'static Tensor> {
        self.writes.iter().filter_map(|&index| plan.tensors.get(index))
    }
}

impl fmt::Display for Tensor {
    /// The name and type as the language writes them: `image: f32[1, 8, 8, 1]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{:?}", self.name, self.dtype, self.shape)?;
        self.quant.map_or(Ok(()), |quant| write!(f, " q({}, {})", quant.scale, quant.zero_point))
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;

    // `PLAN` is a static, and a constant of a plan can be made of another.
    static_assertions::assert_impl_all!(Plan: Sync, Copy);
}

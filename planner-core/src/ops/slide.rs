//! Filters that slide over an image: their attributes, positions and padding.

use super::lead::Lead;
use super::strides::signed;
use super::{AttrSpec, AttrValue, Call, Form};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::{Struct, Value};
use std::borrow::Cow;

const MOST: i64 = 1 << 16;
const ONE: AttrValue = AttrValue::Ints(Cow::Borrowed(&[1, 1]));

/// The attribute `stride`.
pub(super) const STRIDE: AttrSpec = AttrSpec {
    name: "stride",
    form: Form::Pair(1, MOST),
    default: Some(ONE),
    doc: "pixels from one position of the filter to the next",
};

/// The attribute `dilation`.
pub(super) const DILATION: AttrSpec = AttrSpec {
    name: "dilation",
    form: Form::Pair(1, MOST),
    default: Some(ONE),
    doc: "pixels from one tap of the filter to the next",
};

/// The attribute `padding`.
pub(super) const PADDING: AttrSpec = AttrSpec {
    name: "padding",
    form: Form::Padding,
    default: Some(AttrValue::Name(Cow::Borrowed("valid"))),
    doc: "`same`: as many positions as fit the image divided by the stride, an odd row or column at the bottom or right; \
          `valid`: none; or so many rows and columns",
};

/// The taps of a filter along one dimension of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taps {
    /// Size of the image.
    pub(super) input: usize,
    /// Number of positions.
    pub(super) output: usize,
    /// Number of taps.
    pub(super) taps: usize,
    /// Pixels from position to position.
    pub(super) stride: usize,
    /// Pixels from tap to tap.
    pub(super) dilation: usize,
    /// Padding before the first pixel.
    pub(super) before: usize,
}

impl Taps {
    /// The positions of `taps` taps in `input` pixels; `None` if they do not fit once.
    /// `padding` is before and after, or `Err(same)`.
    fn new(
        input: usize,
        taps: usize,
        stride: usize,
        dilation: usize,
        padding: Result<[usize; 2], bool>,
    ) -> Option<Self> {
        let extent = (taps - 1) * dilation + 1;
        let (before, output) = match padding {
            Err(true) => {
                let output = input.div_ceil(stride);
                (((output - 1) * stride + extent).saturating_sub(input) / 2, output)
            }
            Err(false) => (0, input.checked_sub(extent)? / stride + 1),
            Ok([before, after]) => (before, (before + input + after).checked_sub(extent)? / stride + 1),
        };
        Some(Self { input, output, taps, stride, dilation, before })
    }

    /// The first and the last pixel of the image under a tap of position `position`; `None` if all lie outside.
    pub(super) fn pixels(&self, position: usize) -> Option<[usize; 2]> {
        let start = position * self.stride;
        let skipped = self.before.saturating_sub(start).div_ceil(self.dilation);
        let first = (start + skipped * self.dilation).saturating_sub(self.before);
        let more = self.taps.checked_sub(skipped + 1)?.min(self.input.checked_sub(first + 1)? / self.dilation);
        Some([first, first + more * self.dilation])
    }

    /// The first and the last position that have a tap over pixel `pixel`, without dilation; `None` if there is none.
    pub(super) fn positions(&self, pixel: usize) -> Option<[usize; 2]> {
        let from = pixel + self.before;
        let first = from.saturating_sub(self.taps - 1).div_ceil(self.stride);
        let last = (from / self.stride).min(self.output - 1);
        (first <= last).then_some([first, last])
    }

    /// Every position of an undilated filter has a tap in the image.
    pub(super) fn all_inside(&self) -> bool {
        self.taps > self.before && (self.output - 1) * self.stride < self.before + self.input
    }

    /// No position has a tap in the padding.
    pub(super) fn stays_inside(&self) -> bool {
        self.before == 0 && (self.output - 1) * self.stride + (self.taps - 1) * self.dilation < self.input
    }

    /// It visits each pixel alone, in order.
    pub(super) fn is_identity(&self) -> bool {
        self.taps == 1 && self.stride == 1 && self.before == 0 && self.output == self.input
    }

    /// The structure `Taps` of the kernels.
    pub(super) fn value(&self) -> Value {
        let fields = [
            ("input", self.input),
            ("output", self.output),
            ("taps", self.taps),
            ("stride", self.stride),
            ("dilation", self.dilation),
            ("before", self.before),
        ];
        Value::Struct(Struct { name: "Taps", fields: fields.map(|(name, value)| (name, Value::size(value))).to_vec() })
    }
}

/// A filter that slides over images `[batch, height, width, channel]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slide {
    /// From row to row.
    pub(super) y: Taps,
    /// From column to column.
    pub(super) x: Taps,
}

impl Slide {
    /// A filter of `taps` rows and columns over argument 0, by the attribute `padding`.
    ///
    /// # Errors
    /// A filter that is larger than the padded image.
    pub(super) fn new(
        call: &Call<'_>,
        taps: [usize; 2],
        stride: [usize; 2],
        dilation: [usize; 2],
    ) -> Result<Self, Diagnostic> {
        let image = &call.arg(0).shape;
        Self::over(call, [image[1], image[2]], taps, stride, dilation)
    }

    /// As [`Slide::new`], over an image of `size`.
    ///
    /// # Errors
    /// As for [`Slide::new`].
    pub(super) fn over(
        call: &Call<'_>,
        size: [usize; 2],
        taps: [usize; 2],
        stride: [usize; 2],
        dilation: [usize; 2],
    ) -> Result<Self, Diagnostic> {
        let padding = |side: usize| match call.name("padding") {
            Some(name) => Err(name == "same"),
            None => {
                let sides = call.ints("padding");
                Ok([sides[2 * side], sides[2 * side + 1]].map(|v| usize::try_from(v).unwrap_or(0)))
            }
        };
        let along = |i: usize| Taps::new(size[i], taps[i], stride[i], dilation[i], padding(i));
        match (along(0), along(1)) {
            (Some(y), Some(x)) => Ok(Self { y, x }),
            _ => {
                let extent = |i: usize| (taps[i] - 1) * dilation[i] + 1;
                Err(call
                    .error(Kind::Shape, "the filter is larger than the image")
                    .got(format!("{} by {} pixels over {}", extent(0), extent(1), call.arg(0)))
                    .help("a smaller filter, or `padding = same`"))
            }
        }
    }

    /// Along rows where the image is one pixel wide: its pixels lie side by side all the same.
    pub(super) fn along_rows(self) -> Self {
        let Self { x, y } = self;
        let narrow = x.input == 1 && x.output == 1 && x.taps == 1 && x.before == 0;
        if narrow { Self { y: x, x: y } } else { self }
    }

    /// How far writes run ahead of reads over `batch` images of `channels` in and out, beyond the `lead` in a pixel.
    pub(super) fn lead(&self, lead: Lead, batch: usize, channels: [usize; 2]) -> Lead {
        let rows = [self.x.input * channels[0], self.x.output * channels[1]];
        let images = [self.y.input * rows[0], self.y.output * rows[1]].map(signed);
        lead.slide(&self.x, channels).slide(&self.y, rows).along(batch, images)
    }

    /// The structure `Slide` of the kernels, for `channels` in and out.
    pub(super) fn value(&self, batch: usize, channels: [usize; 2]) -> Value {
        let from = rows(self.x.input * channels[0], batch * self.y.input);
        let to = rows(self.x.output * channels[1], batch * self.y.output);
        let [y, x] = [self.y.value(), self.x.value()];
        let pixel = Value::size(channels[1]);
        let fields = vec![("y", y), ("x", x), ("from", from), ("to", to), ("pixel", pixel)];
        Value::Struct(Struct { name: "Slide", fields })
    }
}

/// The structure `Rows` of the kernels: `held` rows of `stride` elements.
pub(super) fn rows(stride: usize, held: usize) -> Value {
    Value::Struct(Struct { name: "Rows", fields: vec![("stride", Value::size(stride)), ("held", Value::size(held))] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_follows_tensorflow() {
        let of = |padding| {
            let taps = Taps::new(5, 3, 2, 1, padding)?;
            Some([taps.output, taps.before])
        };
        assert_eq!(of(Err(true)), Some([3, 1]));
        assert_eq!(of(Err(false)), Some([2, 0]));
        assert_eq!(of(Ok([2, 1])), Some([3, 2]));
        let even = Taps::new(4, 3, 2, 1, Err(true)).unwrap();
        assert_eq!([even.output, even.before], [2, 0], "the odd row is at the end");
        assert_eq!(Taps::new(4, 3, 1, 2, Err(false)), None);
    }
}

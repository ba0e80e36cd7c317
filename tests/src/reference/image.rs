//! Filters that slide over images, tap by tap.

/// Padding as it is written.
#[derive(Clone, Copy, Debug)]
pub enum Padding {
    /// `same`.
    Same,
    /// `valid`.
    Valid,
    /// `[top, bottom, left, right]`.
    Explicit([usize; 4]),
}

/// An image and a filter that slides over it; rows before columns.
#[derive(Clone, Copy, Debug)]
pub struct Sliding {
    /// Number of pictures.
    pub batch: usize,
    /// Height and width.
    pub image: [usize; 2],
    /// Channels of the image.
    pub channels: usize,
    /// Rows and columns of taps.
    pub filter: [usize; 2],
    /// Pixels from position to position.
    pub stride: [usize; 2],
    /// Pixels from tap to tap.
    pub dilation: [usize; 2],
    /// Padding.
    pub padding: Padding,
}

/// A tap of the filter at a position where it lies in the image.
#[derive(Clone, Copy, Debug)]
pub struct Tap {
    /// The pixel of the result, pictures in order, row-major.
    pub position: usize,
    /// Index of the tap in the filter.
    pub tap: usize,
    /// The pixel of the image.
    pub pixel: usize,
}

impl Sliding {
    /// Number of positions along `side`, and padding before (`ComputeOutSize`, `ComputePadding`).
    fn along(&self, side: usize) -> (usize, usize) {
        let (image, stride) = (self.image[side], self.stride[side]);
        let extent = (self.filter[side] - 1) * self.dilation[side] + 1;
        match self.padding {
            Padding::Same => {
                let out = image.div_ceil(stride);
                let total = ((out - 1) * stride + extent).max(image) - image;
                (out, total / 2)
            }
            Padding::Valid => ((image + stride - extent) / stride, 0),
            Padding::Explicit(sides) => {
                let padded = image + sides[2 * side] + sides[2 * side + 1];
                ((padded + stride - extent) / stride, sides[2 * side])
            }
        }
    }

    /// The filter fits the padded image at least once.
    #[must_use]
    pub fn fits(&self) -> bool {
        (0..2).all(|side| {
            let extent = (self.filter[side] - 1) * self.dilation[side] + 1;
            match self.padding {
                Padding::Same => true,
                Padding::Valid => extent <= self.image[side],
                Padding::Explicit(sides) => extent <= self.image[side] + sides[2 * side] + sides[2 * side + 1],
            }
        })
    }

    /// Height and width of the result.
    #[must_use]
    pub fn output(&self) -> [usize; 2] {
        [self.along(0).0, self.along(1).0]
    }

    /// Every tap that lies in the image, by position, row and column.
    #[must_use]
    pub fn taps(&self) -> Vec<Tap> {
        let ([height, width], [rows, columns]) = (self.output(), self.filter);
        let mut taps = Vec::new();
        for position in 0..self.batch * height * width {
            let (picture, y, x) = (position / (height * width), position / width % height, position % width);
            for tap in 0..rows * columns {
                let at = |side: usize, position: usize, tap: usize| {
                    let padded = position * self.stride[side] + tap * self.dilation[side];
                    padded.checked_sub(self.along(side).1).filter(|&at| at < self.image[side])
                };
                if let (Some(row), Some(column)) = (at(0, y, tap / columns), at(1, x, tap % columns)) {
                    let pixel = (picture * self.image[0] + row) * self.image[1] + column;
                    taps.push(Tap { position, tap, pixel });
                }
            }
        }
        taps
    }

    /// For each element of a convolution, the indices of the elements of image and weights that it multiplies.
    #[must_use]
    pub fn conv2d(&self, outputs: usize, groups: usize) -> Vec<Vec<[usize; 2]>> {
        let [height, width] = self.output();
        let (inputs, taps) = (self.channels / groups, self.filter[0] * self.filter[1]);
        let mut products = vec![Vec::new(); self.batch * height * width * outputs];
        for tap in self.taps() {
            for output in 0..outputs {
                let group = output / (outputs / groups);
                for input in 0..inputs {
                    let image = tap.pixel * self.channels + group * inputs + input;
                    products[tap.position * outputs + output].push([image, (output * taps + tap.tap) * inputs + input]);
                }
            }
        }
        products
    }

    /// As [`Sliding::conv2d`], each channel alone with `multiplier` filters.
    #[must_use]
    pub fn depthwise_conv2d(&self, multiplier: usize) -> Vec<Vec<[usize; 2]>> {
        let [height, width] = self.output();
        let outputs = self.channels * multiplier;
        let mut products = vec![Vec::new(); self.batch * height * width * outputs];
        for tap in self.taps() {
            for output in 0..outputs {
                let image = tap.pixel * self.channels + output / multiplier;
                products[tap.position * outputs + output].push([image, tap.tap * outputs + output]);
            }
        }
        products
    }

    /// For each element of a pool, the indices of the elements of its window.
    #[must_use]
    pub fn pool(&self) -> Vec<Vec<usize>> {
        let [height, width] = self.output();
        let mut windows = vec![Vec::new(); self.batch * height * width * self.channels];
        for tap in self.taps() {
            for channel in 0..self.channels {
                windows[tap.position * self.channels + channel].push(tap.pixel * self.channels + channel);
            }
        }
        windows
    }
}

//! Images at another size, weighted between pixels.

/// An image, its new size, and how positions are counted.
#[derive(Clone, Debug)]
pub struct Resize {
    /// `[batch, height, width, channel]`.
    pub dims: [usize; 4],
    /// Height and width of the result.
    pub size: [usize; 2],
    /// The corner pixels of both images lie on one another.
    pub align_corners: bool,
    /// Positions are those of pixel centres.
    pub half_pixel_centers: bool,
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as the definition computes it")]
impl Resize {
    fn sizes(&self, side: usize) -> [i64; 2] {
        let corners = i64::from(self.align_corners && self.size[side] > 1);
        [self.dims[1 + side], self.size[side]].map(|size| i64::try_from(size).expect("a size") - corners)
    }

    fn last(&self, side: usize) -> i64 {
        i64::try_from(self.dims[1 + side]).expect("a size") - 1
    }

    /// The two elements around element `index` of the result, and how far behind the first, in f32.
    fn real(&self, side: usize, index: usize) -> ([i64; 2], f32) {
        let [from, to] = self.sizes(side);
        let scale = from as f32 / to as f32;
        let at = if self.half_pixel_centers { (index as f32 + 0.5) * scale - 0.5 } else { index as f32 * scale };
        let low = (at.floor() as i64).max(0);
        ([low, (at.ceil() as i64).min(self.last(side))], at - low as f32)
    }

    /// The same in 1/1024.
    fn fixed(&self, side: usize, index: usize) -> ([i64; 2], i64) {
        let [from, to] = self.sizes(side);
        let scale = (1024 * from + to / 2) / to;
        let start = if self.half_pixel_centers { scale / 2 - 512 } else { 0 };
        let at = i64::try_from(index).expect("an index") * scale + start;
        let low = (at / 1024).max(0);
        ([low, ((at + 1023) / 1024).min(self.last(side))], at - 1024 * low)
    }

    fn results<T: Copy, U>(
        &self,
        x: &[T],
        f: impl Fn(usize, usize, &dyn Fn(bool, bool) -> T) -> U,
        around: impl Fn(usize, usize) -> [i64; 2],
    ) -> Vec<U> {
        let [batch, height, width, channels] = self.dims;
        let mut results = Vec::new();
        for image in 0..batch {
            for (row, column) in (0..self.size[0]).flat_map(|row| (0..self.size[1]).map(move |column| (row, column))) {
                for channel in 0..channels {
                    let pixel = |below: bool, right: bool| {
                        let [y, x_at] = [around(0, row)[usize::from(below)], around(1, column)[usize::from(right)]]
                            .map(|at| usize::try_from(at).expect("inside"));
                        x[((image * height + y) * width + x_at) * channels + channel]
                    };
                    results.push(f(row, column, &pixel));
                }
            }
        }
        results
    }

    /// `ResizeBilinear`, in f64 from the positions on.
    #[must_use]
    pub fn bilinear_f32(&self, x: &[f32]) -> Vec<f64> {
        let mean = |row: usize, column: usize, pixel: &dyn Fn(bool, bool) -> f32| {
            let [down, right] = [self.real(0, row).1, self.real(1, column).1].map(f64::from);
            let weight = |second: bool, far: f64| if second { far } else { 1.0 - far };
            let part = |below, beside| f64::from(pixel(below, beside)) * weight(below, down) * weight(beside, right);
            part(false, false) + part(true, false) + part(false, true) + part(true, true)
        };
        self.results(x, mean, |side, index| self.real(side, index).0)
    }

    /// `ResizeBilinearInteger`, of i8 and i16.
    #[must_use]
    pub fn bilinear_int(&self, x: &[i64]) -> Vec<i64> {
        let mean = |row: usize, column: usize, pixel: &dyn Fn(bool, bool) -> i64| {
            let [down, right] = [self.fixed(0, row).1, self.fixed(1, column).1];
            let weight = |second: bool, far: i64| if second { far } else { 1024 - far };
            let part = |below, beside| pixel(below, beside) * weight(below, down) * weight(beside, right);
            let sum = part(false, false) + part(true, false) + part(false, true) + part(true, true);
            (sum + if sum > 0 { 1 << 19 } else { -(1 << 19) }) / (1 << 20)
        };
        self.results(x, mean, |side, index| self.fixed(side, index).0)
    }
}

waterline::graph! {
    mod net {
        input x: f32[1, 8, 8, 4];
        param w: f32[4, 3, 3, 2] = zeros;
        output y = conv2d(x, w, groups = 3);
    }
}

fn main() {}

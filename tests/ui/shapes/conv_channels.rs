waterline::graph! {
    mod net {
        input x: f32[1, 8, 8, 3];
        param w: f32[4, 3, 3, 1] = zeros;
        output y = conv2d(x, w);
    }
}

fn main() {}

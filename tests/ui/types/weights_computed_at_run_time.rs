waterline::graph! {
    mod net {
        input x: f32[1, 4, 4, 1];
        input w: f32[1, 3, 3, 1];
        output y = conv2d(x, w);
    }
}

fn main() {}

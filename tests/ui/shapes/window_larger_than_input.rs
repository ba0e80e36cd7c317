waterline::graph! {
    mod net {
        input x: f32[1, 2, 2, 1];
        output y = max_pool2d(x, filter = 3, padding = valid);
    }
}

fn main() {}

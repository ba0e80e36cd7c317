waterline::graph! {
    mod net {
        input x: f32[1, 1, 1, 1, 1, 1, 1];
        output y = relu(x);
    }
}

fn main() {}

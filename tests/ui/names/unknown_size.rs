waterline::graph! {
    mod net {
        input x: f32[1, classes];
        output y = relu(x);
    }
}

fn main() {}

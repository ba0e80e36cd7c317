waterline::graph! {
    mod net {
        input x: f32[1, 0];
        output y = relu(x);
    }
}

fn main() {}

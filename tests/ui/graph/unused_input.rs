waterline::graph! {
    mod net {
        input x: f32[1, 4];
        input z: f32[1, 4];
        output y = relu(x);
    }
}

fn main() {}

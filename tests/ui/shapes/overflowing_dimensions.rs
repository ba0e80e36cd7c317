waterline::graph! {
    mod net {
        input x: f32[65536, 65536, 65536];
        output y = relu(x);
    }
}

fn main() {}

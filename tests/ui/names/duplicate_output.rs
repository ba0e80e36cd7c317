waterline::graph! {
    mod net {
        input x: f32[1, 4];
        output y = relu(x);
        output y = relu6(x);
    }
}

fn main() {}

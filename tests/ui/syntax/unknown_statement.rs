waterline::graph! {
    mod net {
        input x: f32[1, 4];
        layer y = relu(x);
        output z = relu(x);
    }
}

fn main() {}

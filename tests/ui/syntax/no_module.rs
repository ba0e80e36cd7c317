waterline::graph! {
    input x: f32[1, 4];
    output y = relu(x);
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, "four"];
        output y = relu(x);
    }
}

fn main() {}

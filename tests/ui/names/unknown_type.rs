waterline::graph! {
    mod net {
        input x: float[1, 4];
        output y = relu(x);
    }
}

fn main() {}

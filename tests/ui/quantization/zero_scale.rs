waterline::graph! {
    mod net {
        input x: i8[1, 4] q(0.0, 0);
        output y = relu(x);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: i8[1, 4] q(1e-60, 0);
        output y = relu(x);
    }
}

fn main() {}

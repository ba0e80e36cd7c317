waterline::graph! {
    mod net {
        input x: i8[1, 4] q(0.1, 128);
        output y = relu(x);
    }
}

fn main() {}

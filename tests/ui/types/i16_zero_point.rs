waterline::graph! {
    mod net {
        input x: i16[1, 4] q(0.1, 3);
        output y = tanh(x);
    }
}

fn main() {}

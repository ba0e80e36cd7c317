waterline::graph! {
    mod net {
        input x: i8[1, 4] q(0.1, 0);
        output y: i16 q(0.5, 0) = softmax(x);
    }
}

fn main() {}

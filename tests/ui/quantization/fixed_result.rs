waterline::graph! {
    mod net {
        input x: i8[1, 4] q(0.1, 0);
        output y = softmax(x, out = i8 q(0.1, 0));
    }
}

fn main() {}

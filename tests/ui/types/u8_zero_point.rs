waterline::graph! {
    mod net {
        input x: u8[1, 4] q(0.1, -1);
        output y = relu(x);
    }
}

fn main() {}

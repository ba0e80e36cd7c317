waterline::graph! {
    mod net {
        input x: u8[1, 4];
        output y = sigmoid(x);
    }
}

fn main() {}

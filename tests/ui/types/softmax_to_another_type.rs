waterline::graph! {
    mod net {
        input x: u8[1, 4] q(0.1, 128);
        output y: i16 = softmax(x);
    }
}

fn main() {}

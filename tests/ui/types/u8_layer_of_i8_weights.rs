waterline::graph! {
    mod net {
        input x: u8[1, 4] q(0.1, 128);
        param w: i8[2, 4] q(0.1, 0) = random(1);
        output y: u8 q(0.1, 128) = dense(x, w);
    }
}

fn main() {}

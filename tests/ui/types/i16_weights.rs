waterline::graph! {
    mod net {
        input x: i16[1, 4] q(0.1, 0);
        param w: i16[2, 4] q(0.1, 0) = random(1);
        output y: i16 q(0.1, 0) = dense(x, w);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: i16[1, 4] q(0.1, 0);
        output y: i16 q(0.1, 0) = hard_swish(x);
    }
}

fn main() {}

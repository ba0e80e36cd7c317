waterline::graph! {
    mod net {
        input x: bool[4] q(0.1, 0);
        output y = logical_not(x);
    }
}

fn main() {}

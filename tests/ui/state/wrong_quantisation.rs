// A state keeps its quantisation.
waterline::graph! {
    mod net {
        input x: i8[4] q(0.25, 0);
        state h: i8[4] q(0.5, 0) = zeros;
        h <- x;
        output y = relu(h);
    }
}

fn main() {}

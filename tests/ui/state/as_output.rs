// The run overwrites a state, so that it cannot be an output.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[4] = zeros;
        h <- add(h, x);
        output y = h;
    }
}

fn main() {}

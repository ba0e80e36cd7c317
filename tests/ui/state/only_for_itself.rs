// A state that only makes itself.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[4] = zeros;
        h <- add(h, x);
        output y = relu(x);
    }
}

fn main() {}

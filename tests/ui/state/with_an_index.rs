// A state has no index.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h[i in 0..2]: f32[4] = zeros;
        output y = relu(x);
    }
}

fn main() {}

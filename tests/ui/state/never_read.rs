// Nothing is kept that nothing reads.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[4] = zeros;
        h <- relu(x);
        output y = relu(x);
    }
}

fn main() {}

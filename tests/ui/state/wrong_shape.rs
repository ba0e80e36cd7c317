// A state keeps its shape.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[5] = zeros;
        h <- x;
        output y = relu(h);
    }
}

fn main() {}

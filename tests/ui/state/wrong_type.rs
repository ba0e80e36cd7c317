// A state keeps its element type.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: i8[4] q(0.5, 0) = zeros;
        h <- x;
        output y = relu(h);
    }
}

fn main() {}

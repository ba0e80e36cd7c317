waterline::graph! {
    mod net {
        input x: f32[1, 4];
        state h: f32[1, 4] = zeros;
        output y = relu(x);
    }
}

fn main() {}

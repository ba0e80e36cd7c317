waterline::graph! {
    mod net {
        input x: f32[1, 4];
        param w: f32[4] = zeros;
        output y = relu(x);
    }
}

fn main() {}

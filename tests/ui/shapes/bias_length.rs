waterline::graph! {
    mod net {
        input x: f32[1, 8];
        param w: f32[4, 8] = zeros;
        param b: f32[5] = zeros;
        output y = dense(x, w, b);
    }
}

fn main() {}

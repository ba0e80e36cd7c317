waterline::graph! {
    mod net {
        input x: f32[1, 8];
        param w: f32[4, 9] = zeros;
        output y = dense(x, w);
    }
}

fn main() {}

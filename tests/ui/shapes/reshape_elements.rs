waterline::graph! {
    mod net {
        input x: f32[500, 4];
        param w: f32[32, 4] = zeros;
        output y = x.dense(w).reshape(shape = [32]);
    }
}

fn main() {}

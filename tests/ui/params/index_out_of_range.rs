waterline::graph! {
    mod net {
        input x: f32[1, 4];
        param w[i in 0..2]: f32[4, 4] = zeros;
        output y = x.dense(w[0]).dense(w[1]).dense(w[2]);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 8];
        param w: f32[4, 9] = zeros;
        param v: f32[3] = zeros;
        output a = dense(x, w);
        output b = add(x, v);
    }
}

fn main() {}

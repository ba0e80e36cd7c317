waterline::graph! {
    mod net {
        input x: f32[1, 3, 3, 2];
        param w: f32[4, 2, 2, 3] = random(1);
        param v: f32[4, 2, 2, 2] = random(2);
        output a = x.transpose_conv2d(w);
        output b = x.transpose_conv2d(v, stride = 2, size = [9, 9]);
    }
}

fn main() {}

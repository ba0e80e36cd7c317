waterline::graph! {
    mod net {
        input a: f32[2, 3];
        input b: f32[4, 2];
        output y = matmul(a, b);
    }
}

fn main() {}

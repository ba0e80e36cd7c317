waterline::graph! {
    mod net {
        input x: f32[1, 4];
        output y = softmax(x, beta = 1.0, beta = 2.0);
    }
}

fn main() {}

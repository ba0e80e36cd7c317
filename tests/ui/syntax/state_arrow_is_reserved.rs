waterline::graph! {
    mod net {
        input x: f32[1, 4];
        let mut h = relu(x);
        h <- relu(h);
        output y = relu(h);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 8];
        let h: f32[1, 9] = relu(x);
        output y = relu(h);
    }
}

fn main() {}

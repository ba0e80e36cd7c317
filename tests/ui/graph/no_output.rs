waterline::graph! {
    mod net {
        input x: f32[1, 4];
        let _y = relu(x);
    }
}

fn main() {}

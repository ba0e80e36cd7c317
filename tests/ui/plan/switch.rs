waterline::graph! {
    mod net {
        plan { views = 1 }
        input x: f32[1, 4];
        output y = relu(x);
    }
}

fn main() {}

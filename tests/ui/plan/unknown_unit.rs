waterline::graph! {
    mod net {
        plan { budget = 4 KB }
        input x: f32[1, 4];
        output y = relu(x);
    }
}

fn main() {}

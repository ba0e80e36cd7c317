waterline::graph! {
    mod net {
        input x: f32[1, 4] pinned;
        output y = relu(x);
    }
}

fn main() {}

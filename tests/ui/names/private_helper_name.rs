waterline::graph! {
    mod net {
        input __x: f32[1, 4];
        output y = relu(__x);
    }
}

fn main() {}

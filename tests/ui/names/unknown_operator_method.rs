waterline::graph! {
    mod net {
        input x: f32[1, 4];
        output y = x.rleu();
    }
}

fn main() {}

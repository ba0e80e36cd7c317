waterline::graph! {
    mod net {
        input x: f32[1, 4];
        output y = sub(1.0, x);
    }
}

fn main() {}

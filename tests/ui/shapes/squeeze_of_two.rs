waterline::graph! {
    mod net {
        input x: f32[2, 1, 3];
        output y = squeeze(x, axes = 0);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 4];
        output y = mean(x, axes = 2);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 4];
        output y = softmx(x);
    }
}

fn main() {}

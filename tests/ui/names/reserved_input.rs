waterline::graph! {
    mod net {
        input run: f32[1, 4];
        output y = relu(run);
    }
}

fn main() {}

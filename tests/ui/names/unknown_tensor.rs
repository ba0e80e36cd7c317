waterline::graph! {
    mod net {
        input image: f32[1, 4];
        output y = relu(imgae);
    }
}

fn main() {}

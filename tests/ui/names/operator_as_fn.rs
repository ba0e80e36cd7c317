waterline::graph! {
    mod net {
        input x: f32[1, 4];
        fn relu(x) {
            relu6(x)
        }
        output y = relu(x);
    }
}

fn main() {}

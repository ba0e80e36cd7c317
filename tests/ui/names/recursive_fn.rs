waterline::graph! {
    mod net {
        input x: f32[1, 4];
        fn block(x) {
            block(relu(x))
        }
        output y = block(x);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 4];
        fn block(x, z) {
            add(x, z)
        }
        output y = block(x);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 4];
        let a = relu(b);
        let b = relu(x);
        output y = add(a, b);
    }
}

fn main() {}

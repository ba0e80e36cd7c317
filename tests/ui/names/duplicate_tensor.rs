waterline::graph! {
    mod net {
        input x: f32[1, 4];
        let a = relu(x);
        let a = relu6(x);
        output y = relu(a);
    }
}

fn main() {}

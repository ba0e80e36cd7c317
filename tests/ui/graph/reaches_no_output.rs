waterline::graph! {
    mod net {
        input x: f32[1, 4];
        let a = relu(x);
        let b = relu6(a);
        let _c = relu6(b);
        output y = relu(x);
    }
}

fn main() {}

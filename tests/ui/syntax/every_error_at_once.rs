waterline::graph! {
    mod net {
        input x: f32[1 4];
        let a = relu x;
        output y = relu(x);
        param = zeros;
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 4];
        let (a, b, c) = split(x, parts = 2, axis = 1);
        output y = add(a, b);
        output z = relu(c);
    }
}

fn main() {}

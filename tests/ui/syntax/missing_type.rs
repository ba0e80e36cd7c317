waterline::graph! {
    mod net {
        input x;
        output y = relu(x);
    }
}

fn main() {}

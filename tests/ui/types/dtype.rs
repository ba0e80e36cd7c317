waterline::graph! {
    mod net {
        input x: i32[1, 4];
        output y = softmax(x);
    }
}

fn main() {}

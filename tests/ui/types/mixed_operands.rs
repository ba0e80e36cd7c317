waterline::graph! {
    mod net {
        input a: f32[1, 4];
        input b: i8[1, 4] q(0.1, 0);
        output y = add(a, b);
    }
}

fn main() {}

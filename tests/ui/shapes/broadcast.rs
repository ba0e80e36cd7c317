waterline::graph! {
    mod net {
        input a: f32[2, 3];
        input b: f32[2, 4];
        output y = add(a, b);
    }
}

fn main() {}

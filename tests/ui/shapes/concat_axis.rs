waterline::graph! {
    mod net {
        input a: f32[2, 3];
        input b: f32[3, 3];
        output y = concat(a, b, axis = 1);
    }
}

fn main() {}

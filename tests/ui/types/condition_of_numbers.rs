waterline::graph! {
    mod net {
        input condition: i32[4];
        input a: f32[4];
        input b: f32[4];
        output y = select(condition, a, b);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 7];
        let (a, b) = split(x, parts = 2, axis = 1);
        output y = add(a, b);
    }
}

fn main() {}

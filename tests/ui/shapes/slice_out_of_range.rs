waterline::graph! {
    mod net {
        input x: f32[1, 7];
        output y = slice(x, begin = [0, 5], size = [1, 4]);
    }
}

fn main() {}

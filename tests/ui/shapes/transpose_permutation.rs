waterline::graph! {
    mod net {
        input x: f32[2, 3, 4];
        output y = transpose(x, perm = [0, 2, 2]);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        plan { bugdet = 1 KiB }
        input x: f32[1, 4];
        output y = relu(x);
    }
}

fn main() {}

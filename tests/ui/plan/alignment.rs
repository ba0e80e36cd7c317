waterline::graph! {
    mod net {
        plan { align = 12 }
        input x: f32[1, 4];
        output y = relu(x);
    }
}

fn main() {}

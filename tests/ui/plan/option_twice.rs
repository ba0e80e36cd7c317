waterline::graph! {
    mod net {
        plan { align = 4, align = 8 }
        input x: f32[1, 4];
        output y = relu(x);
    }
}

fn main() {}

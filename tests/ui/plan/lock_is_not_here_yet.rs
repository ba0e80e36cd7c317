waterline::graph! {
    mod net {
        plan { lock = "net.plan" }
        input x: f32[1, 4];
        output y = relu(x);
    }
}

fn main() {}

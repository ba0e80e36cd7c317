waterline::graph! {
    mod net {
        plan { layout = bestfit }
        input x: f32[1, 4];
        output y = relu(x);
    }
}

fn main() {}

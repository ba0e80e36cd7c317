waterline::graph! {
    mod net {
        input x: f32[1, 4];
        let h = relu(x);
        for i in 0..2 {
            let h = relu6(h);
        }
        output y = relu(h);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 4];
        let h: i32 = relu(x);
        output y = relu(h);
    }
}

fn main() {}

waterline::graph! {
    mod other {
        plan { lock = "./files/sound.plan" }
        input x: f32[1, 4];
        param w: f32[3, 4] = zeros;
        let h = dense(x, w);
        output z = sigmoid(h);
    }
}

fn main() {}

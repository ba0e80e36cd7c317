waterline::graph! {
    mod net {
        plan { lock = "./files/sound.plan" }
        input x: f32[1, 5];
        param w: f32[3, 5] = zeros;
        let h = dense(x, w);
        output y = softmax(h);
    }
}

fn main() {}

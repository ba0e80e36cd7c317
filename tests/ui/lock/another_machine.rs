waterline::graph! {
    mod net {
        plan { lock = "./files/foreign.plan" }
        input x: f32[1, 4];
        param w: f32[3, 4] = zeros;
        let h = dense(x, w);
        output y = softmax(h);
    }
}

fn main() {}

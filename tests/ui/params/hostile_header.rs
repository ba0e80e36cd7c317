waterline::graph! {
    mod net {
        input x: f32[1, 4];
        param w: f32[2, 4] = "./files/hostile.safetensors"["w"];
        output y = dense(x, w);
    }
}

fn main() {}

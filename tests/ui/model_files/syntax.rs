waterline::graph! {
    mod net = "./files/open.tflite" {
        input tokens: f32[1, 8, 8, 2];
        output y: borrowed;
        input tokens: quantised;
        bind(batch)
        bind(tokens = 8);
        let h = relu(tokens);
        inputs tokens;
        plan { budgt = 4 KiB }
        output y: kept
    }
}

waterline::graph! {
    mod path = 7;
}

waterline::graph! {
    mod end = "./files/open.tflite" as model;
}

fn main() {}

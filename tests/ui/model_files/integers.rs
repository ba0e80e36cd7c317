waterline::graph! {
    mod net = "./files/open.tflite" {
        bind(tokens[1] = 8, tokens[2] = 8)
        input tokens: quantized borrowed;
        output y: quantized kept;
    }
}

fn main() {}

waterline::graph! {
    mod net = "./files/open.tflite" {
        bind(tokens[1] = 8, tokens[2] = 8)
        input token: borrowed;
        input tokens: kept;
        input tokens: borrowed;
        output tokens: kept;
    }
}

fn main() {}

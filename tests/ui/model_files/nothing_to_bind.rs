waterline::graph! {
    mod net = "./files/open.tflite" {
        bind(tokens[1] = 8, tokens[2] = 8, tokens[3] = 2, words[1] = 4)
        bind(batch = 0, tokens[2] = 9);
    }
}

fn main() {}

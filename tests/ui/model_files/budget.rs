waterline::graph! {
    mod net = "./files/open.tflite" {
        plan { budget = 100 B }
        bind(tokens[1] = 8, tokens[2] = 8)
    }
}

fn main() {}

waterline::graph! {
    mod net = "models/nothing.tflite";
}

fn main() {}

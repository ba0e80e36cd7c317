waterline::graph! {
    mod net = "./files/truncated.tflite" {
        plan { budget = 4 KiB }
    }
}

fn main() {}

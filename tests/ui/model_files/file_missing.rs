waterline::graph! {
    pub mod net = "./files/nothing.tflite" {
        input image: borrowed;
        output scores: kept;
    }
}

// What is said of the interface is there all the same.
fn main() {
    let mut arena = net::Arena::new();
    let _ = arena.frame(&[]).run().scores();
}

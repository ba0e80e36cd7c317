waterline::graph! {
    mod net = "./files/unsupported.tflite";
}

// Its interface is there all the same.
fn main() {
    let mut arena = net::Arena::new();
    let mut frame = arena.frame();
    *frame.image() = [1.0; 4];
    let _: &[f32; 4] = frame.run().r#loop_();
}

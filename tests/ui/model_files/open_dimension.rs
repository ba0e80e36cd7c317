waterline::graph! {
    mod net = "./files/open.tflite" {
        bind(batch = 2, tokens[1] = 8)
    }
}

fn main() {
    let mut arena = net::Arena::new();
    let mut frame = arena.frame();
    frame.tokens().fill(1.0);
    let _: f32 = frame.run().y().iter().sum();
}

waterline::graph! {
    mod net {
        input x: f32[1, 8];
        param w: f32[4, 9] = zeros;
        let a = dense(x, w);
        let b = relu(a);
        output y = softmax(b);
    }
}

fn main() {
    let mut arena = net::Arena::new();
    let _ = net::run(&mut arena, &[0.0; 8]);
}

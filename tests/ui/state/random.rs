// What a state starts from matters.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[4] = random(1);
        h <- add(h, x);
        output y = relu(h);
    }
}

fn main() {}

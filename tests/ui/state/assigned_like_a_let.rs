// A state is given its value by `<-`.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[4] = zeros;
        h = add(h, x);
        h <- add(h, x);
        output y = relu(h);
    }
}

fn main() {}

// A state is given one value a run.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[4] = zeros;
        h <- add(h, x);
        h <- relu(x);
        output y = add(x, h);
    }
}

fn main() {}

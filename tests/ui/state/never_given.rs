// A state that is only read is a parameter.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[4] = zeros;
        output y = add(x, h);
    }
}

fn main() {}

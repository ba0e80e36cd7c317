// Each turn of a loop would give the state another value.
waterline::graph! {
    mod net {
        input x: f32[4];
        state h: f32[4] = zeros;
        for i in 0..2 { h <- add(h, x); }
        output y = add(x, h);
    }
}

fn main() {}

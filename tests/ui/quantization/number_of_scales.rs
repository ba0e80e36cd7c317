waterline::graph! {
    mod net {
        input x: i8[1, 4] q(0.1, 0);
        param w: i8[2, 4] q([0.1, 0.2, 0.3], axis = 0) = zeros;
        output y = dense(x, w, out = i8 q(0.1, 0));
    }
}

fn main() {}

// Only a state is kept between runs.
waterline::graph! {
    mod net {
        input x: f32[4];
        let mut a = relu(x);
        a <- relu(x);
        x <- a;
        b <- a;
        output y = a;
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[4];
        input n: i32[4];
        output a = less(x, n);
        output b = logical_and(x, x);
        output c = select(x, x, x);
        output d = add(n, n, act = relu);
    }
}

fn main() {}

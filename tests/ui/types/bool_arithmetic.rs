waterline::graph! {
    mod net {
        input x: bool[4];
        input y: bool[4];
        output z = add(x, y);
    }
}

fn main() {}

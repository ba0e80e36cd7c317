waterline::graph! {
    mod net = "./file_missing.rs";
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 5, 4, 2];
        output a = x.space_to_batch(block = [2, 2]);
        output b = x.space_to_batch(block = [2, 2, 2, 2]);
        output c = x.batch_to_space(block = [2, 2]);
        output d = x.depth_to_space(block = 2);
    }
}

fn main() {}

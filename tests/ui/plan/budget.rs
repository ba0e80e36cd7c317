waterline::graph! {
    mod net {
        plan { budget = 64 B }
        input x: f32[1, 4, 4, 4];
        param w: f32[8, 3, 3, 4] = zeros;
        let h = x.conv2d(w);
        output y = h.global_avg_pool();
    }
}

fn main() {}

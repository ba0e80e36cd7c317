waterline::graph! {
    mod net {
        plan { budget = 900 B, order = source }
        input x: f32[1, 16];
        param up: f32[128, 16] = random(1);
        param down: f32[4, 128] = random(2);
        let a = x.dense(up);
        let b = x.dense(up);
        let c = a.dense(down);
        let d = b.dense(down);
        output y = add(c, d);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[1, 200];
        param w: f32[100, 200] = crate::W;
        output y = dense(x, w);
    }
}
const W: [f32; 20000] = [0.0; 20000];

fn main() {}

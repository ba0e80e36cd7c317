waterline::graph! {
    mod net {
        input x: f32[1, 4];
        param w: f32[2, 4] = zeros;
        param g: f32[2] = crate::G;
        param z: f32[2] = zeros;
        output y = x.dense(w).batch_norm(g, z, z, g);
    }
}
const G: [f32; 2] = [1.0; 2];

fn main() {}

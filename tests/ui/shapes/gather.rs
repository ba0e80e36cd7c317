waterline::graph! {
    mod net {
        input x: f32[4, 5];
        input ids: i32[3];
        output a = gather(x, x);
        output b = gather(x, ids, axis = 2);
        output c = gather(x, ids, batch_dims = 1);
        output d = gather_nd(x, ids);
    }
}

fn main() {}

waterline::graph! {
    mod net {
        input x: f32[4, 5];
        output a = strided_slice(x, begin = [3], end = [1]);
        output b = strided_slice(x, begin = [0, 0, 0], end = [1, 1, 1]);
        output c = strided_slice(x, begin = [0], end = [4], stride = [0]);
        output d = strided_slice(x, begin = [4], end = [5], shrink_axis_mask = 1);
    }
}

fn main() {}

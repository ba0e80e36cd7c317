//! The networks: one shape, in f32, in int8 and from a model file.

waterline::graph! {
    /// 8x8 digits in f32.
    pub mod f32 {
        plan { budget = 4 KiB }
        const classes = 10;
        input image: f32[1, 8, 8, 1];
        param conv1_w: f32[8, 3, 3, 1] = "weights/digits_f32.safetensors"["conv1.w"];
        param conv1_b: f32[8] = "weights/digits_f32.safetensors"["conv1.b"];
        param conv2_w: f32[16, 3, 3, 8] = "weights/digits_f32.safetensors"["conv2.w"];
        param conv2_b: f32[16] = "weights/digits_f32.safetensors"["conv2.b"];
        param dense_w: f32[classes, 256] = "weights/digits_f32.safetensors"["dense.w"];
        param dense_b: f32[classes] = "weights/digits_f32.safetensors"["dense.b"];

        let h1 = image.conv2d(conv1_w, conv1_b, padding = same).relu().max_pool2d(filter = 2);
        let h2 = h1.conv2d(conv2_w, conv2_b, padding = same).relu();
        let logits: f32[1, classes] = dense(h2.flatten(), dense_w, dense_b);
        output scores = softmax(logits);
    }
}

waterline::graph! {
    /// The same network in int8.
    pub mod int8 {
        plan { budget = 2 KiB }

        const classes = 10;

        input image: i8[1, 8, 8, 1] q(0.003921569, -128);

        param conv1_w: i8[8, 3, 3, 1] q("weights/digits_int8.safetensors"["conv1.w_scale"], axis = 0) = "weights/digits_int8.safetensors"["conv1.w"];
        param conv1_b: i32[8] = "weights/digits_int8.safetensors"["conv1.b"];
        param conv2_w: i8[16, 3, 3, 8] q("weights/digits_int8.safetensors"["conv2.w_scale"], axis = 0) = "weights/digits_int8.safetensors"["conv2.w"];
        param conv2_b: i32[16] = "weights/digits_int8.safetensors"["conv2.b"];
        param dense_w: i8[classes, 256] q(0.009571456, 0) = "weights/digits_int8.safetensors"["dense.w"];
        param dense_b: i32[classes] = "weights/digits_int8.safetensors"["dense.b"];

        let h1 = image
            .conv2d(conv1_w, conv1_b, padding = same, act = relu, out = i8 q(0.0074165803, -128))
            .max_pool2d(filter = 2);
        let h2 = h1.conv2d(conv2_w, conv2_b, padding = same, act = relu, out = i8 q(0.0097745005, -128));
        let logits: i8[1, classes] q(0.053804565, 13) = dense(h2.flatten(), dense_w, dense_b);
        output scores: i8[1, classes] q(0.00390625, -128) = softmax(logits);
    }
}

waterline::graph! {
    /// The same network in int8 as TensorFlow's converter writes it.
    pub mod tflite = "models/digits_int8.tflite" {
        plan { budget = 2 KiB }
    }
}

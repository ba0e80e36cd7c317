//! The network of the wake word, written by `train/train.py`.

waterline::graph! {
    /// Hears a frame of 20 ms at a time.
    pub mod wakeword {
        plan { budget = 8 KiB }

        /// The logarithms of 16 mel bands.
        input frame: i8[1, 1, 1, 16] q(0.010825853, -32);

        param hear_w: i8[24, 5, 1, 16] q("weights/wakeword.safetensors"["hear.scale"], axis = 0) = "weights/wakeword.safetensors"["hear.w"];
        param hear_b: i32[24] = "weights/wakeword.safetensors"["hear.b"];
        param span0_w: i8[1, 11, 1, 24] q("weights/wakeword.safetensors"["span0.scale"], axis = 3) = "weights/wakeword.safetensors"["span0.w"];
        param span0_b: i32[24] = "weights/wakeword.safetensors"["span0.b"];
        param mix0_w: i8[24, 1, 1, 24] q("weights/wakeword.safetensors"["mix0.scale"], axis = 0) = "weights/wakeword.safetensors"["mix0.w"];
        param mix0_b: i32[24] = "weights/wakeword.safetensors"["mix0.b"];
        param span1_w: i8[1, 15, 1, 24] q("weights/wakeword.safetensors"["span1.scale"], axis = 3) = "weights/wakeword.safetensors"["span1.w"];
        param span1_b: i32[24] = "weights/wakeword.safetensors"["span1.b"];
        param mix1_w: i8[32, 1, 1, 24] q("weights/wakeword.safetensors"["mix1.scale"], axis = 0) = "weights/wakeword.safetensors"["mix1.w"];
        param mix1_b: i32[32] = "weights/wakeword.safetensors"["mix1.b"];
        param span2_w: i8[1, 19, 1, 32] q("weights/wakeword.safetensors"["span2.scale"], axis = 3) = "weights/wakeword.safetensors"["span2.w"];
        param span2_b: i32[32] = "weights/wakeword.safetensors"["span2.b"];
        param mix2_w: i8[32, 1, 1, 32] q("weights/wakeword.safetensors"["mix2.scale"], axis = 0) = "weights/wakeword.safetensors"["mix2.w"];
        param mix2_b: i32[32] = "weights/wakeword.safetensors"["mix2.b"];
        param score_w: i8[1, 1, 1, 32] q("weights/wakeword.safetensors"["score.scale"], axis = 0) = "weights/wakeword.safetensors"["score.w"];
        param score_b: i32[1] = "weights/wakeword.safetensors"["score.b"];

        // What the convolutions have heard before.
        state before_hear: i8[1, 4, 1, 16] q(0.010825853, -32) = zeros;
        state before_span0: i8[1, 10, 1, 24] q(0.034717895, -128) = zeros;
        state before_span1: i8[1, 14, 1, 24] q(0.021731978, -128) = zeros;
        state before_span2: i8[1, 18, 1, 32] q(0.039705124, -128) = zeros;

        let for_hear = concat(before_hear, frame, axis = 1);
        before_hear <- for_hear.slice(begin = [0, 1, 0, 0], size = [1, 4, 1, 16]);
        let hear = for_hear.conv2d(hear_w, hear_b, act = relu, out = i8 q(0.034717895, -128));
        let for_span0 = concat(before_span0, hear, axis = 1);
        before_span0 <- for_span0.slice(begin = [0, 1, 0, 0], size = [1, 10, 1, 24]);
        let span0 = for_span0.depthwise_conv2d(span0_w, span0_b, out = i8 q(0.055271696, 41));
        let mix0 = span0.conv2d(mix0_w, mix0_b, act = relu, out = i8 q(0.021731978, -128));
        let for_span1 = concat(before_span1, mix0, axis = 1);
        before_span1 <- for_span1.slice(begin = [0, 1, 0, 0], size = [1, 14, 1, 24]);
        let span1 = for_span1.depthwise_conv2d(span1_w, span1_b, out = i8 q(0.06908123, 61));
        let mix1 = span1.conv2d(mix1_w, mix1_b, act = relu, out = i8 q(0.039705124, -128));
        let for_span2 = concat(before_span2, mix1, axis = 1);
        before_span2 <- for_span2.slice(begin = [0, 1, 0, 0], size = [1, 18, 1, 32]);
        let span2 = for_span2.depthwise_conv2d(span2_w, span2_b, out = i8 q(0.08990177, -39));
        let mix2 = span2.conv2d(mix2_w, mix2_b, act = relu, out = i8 q(0.04192517, -128));
        let score = mix2.conv2d(score_w, score_b, out = i8 q(0.07651882, 24));
        /// How much the last second sounded like the word, in 1/256 from -128.
        output heard = score.sigmoid();
    }
}

/// Frames until the score is of sounds alone.
pub const WARM_UP: usize = 46;

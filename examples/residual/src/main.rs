//! A residual network written with a `fn` and a `for`: two inputs, two outputs.
//!
//! The weights are placeholders (`random`): the plan is real before anything is trained.

waterline::graph! {
    /// An image and a few numbers from other sensors, classified together.
    mod residual {
        plan { budget = 16 KiB }

        const channels = 8;
        const blocks = 3;

        /// What the camera saw.
        input image: f32[1, 16, 16, 3];
        /// Temperature, humidity and light, each in 0..1.
        input sensors: f32[1, 3];

        param stem: f32[channels, 3, 3, 3] = random(1);
        param first[i in 0..blocks]: f32[channels, 3, 3, channels] = random(10 + i);
        param second[i in 0..blocks]: f32[channels, 3, 3, channels] = random(20 + i);
        param mix: f32[channels, 3] = random(30);
        param head: f32[4, 2 * channels] = random(31);

        /// Two convolutions around a shortcut.
        fn block(x, first, second) {
            let h = x.conv2d(first, padding = same).relu();
            let h2 = h.conv2d(second, padding = same);
            add(h2, x).relu()
        }

        let mut h = image.conv2d(stem, padding = same, stride = 2).relu();
        for i in 0..blocks {
            h = block(h, first[i], second[i]);
        }
        let seen = h.global_avg_pool().reshape(shape = [1, channels]);
        let felt = sensors.dense(mix).relu();

        /// What the network looked at, for the curious.
        output features = concat(seen, felt, axis = 1);
        /// The class probabilities.
        output scores = features.dense(head).softmax();
    }
}

fn main() {
    let mut arena = residual::Arena::new();
    let mut frame = arena.frame();
    for (i, pixel) in frame.image().iter_mut().enumerate() {
        *pixel = f32::from(u8::try_from(i % 7).unwrap_or(0)) / 7.0;
    }
    *frame.sensors() = [0.3, 0.5, 0.9];
    let outputs = frame.run();

    println!("{}", residual::PLAN);
    println!("features {:?}", outputs.features());
    println!("scores   {:?}", outputs.scores());
}

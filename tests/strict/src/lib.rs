//! Networks in a crate that allows nothing, where the dependency has another name.
//!
//! That it compiles and that clippy is silent is the test.
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications,
    rust_2018_idioms,
    elided_lifetimes_in_paths,
    single_use_lifetimes,
    clippy::all,
    clippy::pedantic,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic
)]

/// Weights that only the compiler of this crate can read.
pub mod weights {
    /// Two filters of three by three.
    pub const FILTERS: [i8; 18] = [1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4, -5, -6, -7, -8, -9];
}

wl::graph! {
    /// Floats, with every mode of inputs and outputs.
    pub mod floats {
        plan { budget = 4 KiB }

        /// What the camera saw.
        input image: f32[1, 8, 8, 1];
        /// Set once, then kept.
        input gains: f32[8] kept;
        /// Too large for the arena.
        input table: f32[1, 8] borrowed;
        param w: f32[8, 3, 3, 1] = random(1);
        param b: f32[8] = zeros;
        let h = image.conv2d(w, b, stride = 2, padding = same).relu().mul(gains);
        let pooled: f32[1, 8] = h.global_avg_pool().reshape(shape = [1, 8]);
        /// The class probabilities.
        output scores = softmax(add(pooled, table));
        /// The features, until the next run.
        output features kept = pooled;
        output table_again = table;
    }
}

wl::graph! {
    /// Integers, with weights of this crate.
    pub mod integers {
        input x: i8[1, 6, 6, 1] q(0.5, -3);
        param w: i8[2, 3, 3, 1] q([0.25, 0.125], axis = 0) = weights::FILTERS;
        let h = x.conv2d(w, padding = valid, out = i8 q(1.5, 4));
        output y = h.reshape(shape = [1, 32]).softmax();
        output real = dequantize(h);
    }
}

/// A module within.
pub mod nested {
    wl::graph! {
        /// Nothing to compute.
        pub mod idle {
            input x: f32[2, 2];
            output flat = flatten(x);
        }
    }

    wl::graph! {
        /// More inputs than a function should have arguments.
        pub mod many {
            input a: f32[2];
            input b: f32[2];
            input c: f32[2];
            input d: f32[2];
            input e: f32[2];
            input f: f32[2];
            input g: f32[2];
            input h: f32[2];
            output y = add(add(add(a, b), add(c, d)), add(add(e, f), add(g, h)));
        }
    }
}

/// The sum of doubled numbers, by a network of its own.
#[must_use]
pub fn doubled(x: &[f32; 2]) -> f32 {
    const TWO: [f32; 2] = [2.0, 2.0];
    wl::graph! {
        mod double {
            input x: f32[2];
            param two: f32[2] = TWO;
            output y = mul(x, two).sum(axes = [0]);
        }
    }
    let mut arena = double::Arena::new();
    let [sum] = double::run(&mut arena, x).y();
    *sum
}

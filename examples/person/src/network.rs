//! The network. For another one, as `person_detect.tflite` of TensorFlow Lite Micro, change the path.

waterline::graph! {
    /// Scores of "nobody" and "a person" for 48x48 grey pixels, each pixel less 128.
    pub mod detector = "models/person.tflite" {
        plan { budget = 10 KiB }
    }
}

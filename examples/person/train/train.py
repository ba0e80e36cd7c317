"""Train the person network on drawn scenes and write the model file and the test scenes.

    python train.py
"""

import os
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf
from tflite_micro.python.tflite_micro import runtime

from scenes import SIDE, scenes

HERE = Path(__file__).resolve().parent.parent
SEED = 5
EPOCHS = 14
TEST_SCENES = 64


def network():
    """MobileNet in small: each block a depthwise and a pointwise convolution."""
    x = image = keras.layers.Input((SIDE, SIDE, 1), name="image")
    x = keras.layers.Conv2D(8, 3, strides=2, padding="same", use_bias=False)(x)
    x = keras.layers.BatchNormalization()(x)
    x = keras.layers.ReLU(6.0)(x)
    for channels, stride in ((16, 2), (32, 1), (32, 2), (64, 1), (64, 2), (96, 1)):
        for layer in (
            keras.layers.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False),
            keras.layers.Conv2D(channels, 1, use_bias=False),
        ):
            x = keras.layers.ReLU(6.0)(keras.layers.BatchNormalization()(layer(x)))
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, keras.layers.Dense(2, activation="softmax")(x))


def as_input(images):
    """A pixel as the network takes it: -1 to 1. In int8 it is the pixel less 128."""
    return (images.astype(np.float32) / 127.5 - 1)[..., None]


def quantised(model, images):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([image[None]] for image in images[:200])
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def main():
    keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    random = np.random.default_rng(SEED)
    images, here = scenes(12000, random)
    unseen, truth = scenes(600, random)
    model = network()
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(4e-3, EPOCHS * 12000 // 64)), keras.losses.SparseCategoricalCrossentropy())
    model.fit(as_input(images), here, batch_size=64, epochs=EPOCHS, verbose=2)
    guess = model.predict(as_input(unseen), verbose=0).argmax(1)
    print(f"f32: {np.mean(guess == truth):.4f} of {len(truth)} scenes")

    file = quantised(model, as_input(images))
    (HERE / "models" / "person.tflite").write_bytes(file)
    # What TensorFlow Lite Micro says of the test scenes: the example has to say the same.
    interpreter = runtime.Interpreter.from_bytes(file)
    scores = []
    for image in unseen:
        interpreter.set_input((image.astype(np.int16) - 128).astype(np.int8)[None, ..., None], 0)
        interpreter.invoke()
        scores.append(interpreter.get_output(0)[0])
    scores = np.stack(scores)
    print(f"int8: {np.mean(scores.argmax(1) == truth):.4f}")
    (HERE / "data" / "scenes.bin").write_bytes(unseen[:TEST_SCENES].tobytes())
    (HERE / "data" / "truth.bin").write_bytes(truth[:TEST_SCENES].tobytes())
    (HERE / "data" / "scores.bin").write_bytes(scores[:TEST_SCENES].tobytes())


if __name__ == "__main__":
    main()

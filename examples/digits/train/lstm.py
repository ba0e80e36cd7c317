"""Train an LSTM that reads an image row by row and write it as `.tflite` files, in f32 and int8.

    python lstm.py

tf_keras, the Keras before version 3, is what TensorFlow Lite's converter knows as one fused operator.
"""

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

from export import CALIBRATION_IMAGES, converter, load, quantised, write  # noqa: I001, it sets TensorFlow up

import tensorflow as tf
import tf_keras as keras

SEED = 7
EPOCHS = 40
BATCH = 32
UNITS = 24


def train(images, labels):
    """An LSTM over 8 rows of 8 pixels."""
    keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    model = keras.Sequential(
        [
            keras.layers.Input((8, 8)),
            keras.layers.LSTM(UNITS),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    rate = keras.optimizers.schedules.CosineDecay(1e-2, len(images) // BATCH * EPOCHS)
    model.compile(keras.optimizers.Adam(rate), "sparse_categorical_crossentropy")
    model.fit(images, labels, batch_size=BATCH, epochs=EPOCHS, verbose=0)
    return model


def main():
    images, labels, test, test_labels = load()
    model = train(images, labels)

    @tf.function(input_signature=[tf.TensorSpec([1, 8, 8], tf.float32, name="image")])
    def run(image):
        return {"scores": model(image)}

    with tempfile.TemporaryDirectory() as saved:
        model.save(saved, save_format="tf", signatures=run.get_concrete_function())
        int8 = tf.lite.OpsSet.TFLITE_BUILTINS_INT8
        files = {
            "digits_lstm_f32": converter(saved).convert(),
            "digits_lstm_int8": quantised(saved, images[:CALIBRATION_IMAGES], int8, tf.int8),
        }
    write(files, test, test_labels, floor=0.9)


main()

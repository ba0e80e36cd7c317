"""Write the trained digits network as `.tflite` files, in every form that TensorFlow Lite stores weights in.

    python export.py

Reads `../weights/digits_f32.safetensors`, which train.py writes. See README.md.
"""

import json
import os
import struct
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent.parent
TEST_IMAGES = 360
CALIBRATION_IMAGES = 200


def load_safetensors(path):
    """The arrays of a safetensors file by name."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header, data = json.loads(data[8 : 8 + length]), data[8 + length :]
    types = {"F32": np.float32}
    arrays = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(data[start:end], types[entry["dtype"]]).reshape(entry["shape"])
    return arrays


class Digits(tf.Module):
    """The network of train.py with softmax, on one image."""

    def __init__(self, weights):
        super().__init__()
        # Convolutions: OHWI -> HWIO; dense: [out, in] -> [in, out].
        self.conv = [(weights[f"conv{i}.w"].transpose(1, 2, 3, 0), weights[f"conv{i}.b"]) for i in (1, 2)]
        self.dense = (weights["dense.w"].T, weights["dense.b"])

    @tf.function(input_signature=[tf.TensorSpec([1, 8, 8, 1], tf.float32, name="image")])
    def __call__(self, image):
        (w1, b1), (w2, b2) = self.conv
        h = tf.nn.relu(tf.nn.conv2d(image, w1, 1, "SAME") + b1)
        h = tf.nn.max_pool2d(h, 2, 2, "VALID")
        h = tf.nn.relu(tf.nn.conv2d(h, w2, 1, "SAME") + b2)
        w, b = self.dense
        return {"scores": tf.nn.softmax(tf.reshape(h, [1, 256]) @ w + b)}


def converter(saved):
    """A converter of a saved model; the file names inputs and outputs as the model does."""
    return tf.lite.TFLiteConverter.from_saved_model(saved)


def quantised(saved, images, operators, element, per_channel=True):
    """The model in integers, inputs and outputs included, its ranges those of `images`."""
    convert = converter(saved)
    convert.optimizations = [tf.lite.Optimize.DEFAULT]
    convert.representative_dataset = lambda: ({"image": image[None]} for image in images)
    convert.target_spec.supported_ops = [operators]
    convert.inference_input_type = convert.inference_output_type = element
    convert._experimental_disable_per_channel = not per_channel
    return convert.convert()


def dynamic_range(saved):
    """The model with int8 weights between f32 activations."""
    convert = converter(saved)
    convert.optimizations = [tf.lite.Optimize.DEFAULT]
    return convert.convert()


def half(saved):
    """The model with f16 weights, which are widened at the start."""
    convert = converter(saved)
    convert.optimizations = [tf.lite.Optimize.DEFAULT]
    convert.target_spec.supported_types = [tf.float16]
    return convert.convert()


def accuracy(file, images, labels):
    """The share of images that a `.tflite` file names right, by TensorFlow Lite's reference kernels."""
    interpreter = tf.lite.Interpreter(
        model_content=file, experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF
    )
    interpreter.allocate_tensors()
    given, wanted = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    right = 0
    for image, label in zip(images, labels):
        value = image[None]
        if given["dtype"] != np.float32:
            scale, zero_point = given["quantization"]
            limits = np.iinfo(given["dtype"])
            value = np.clip(np.rint(value / scale + zero_point), limits.min, limits.max).astype(given["dtype"])
        # The state of an LSTM outlives a run.
        interpreter.reset_all_variables()
        interpreter.set_tensor(given["index"], value)
        interpreter.invoke()
        right += interpreter.get_tensor(wanted["index"]).argmax() == label
    return right / len(labels)


def write(files, images, labels, floor=0.95):
    """Writes each of `files`, by name, if all name the images right often enough."""
    scores = {name: accuracy(file, images, labels) for name, file in files.items()}
    for name, score in scores.items():
        print(f"{name:24} {len(files[name]):6} bytes, accuracy {score:.4f}")
    if min(scores.values()) < floor:
        raise SystemExit("the accuracy is not what the example promises: nothing was written")
    (HERE / "models").mkdir(exist_ok=True)
    for name, file in files.items():
        (HERE / "models" / f"{name}.tflite").write_bytes(file)


def load():
    """Images as f32[n, 8, 8], value / 16, and labels; the last 360 are the test set."""
    digits = load_digits()
    images = digits.images.astype(np.float32) / np.float32(16)
    return images[:-TEST_IMAGES], digits.target[:-TEST_IMAGES], images[-TEST_IMAGES:], digits.target[-TEST_IMAGES:]


def main():
    seen, _, test, labels = load()
    seen, test = seen[:CALIBRATION_IMAGES, ..., None], test[..., None]
    network = Digits(load_safetensors(HERE / "weights" / "digits_f32.safetensors"))
    int8 = tf.lite.OpsSet.TFLITE_BUILTINS_INT8
    int16x8 = tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
    with tempfile.TemporaryDirectory() as saved:
        tf.saved_model.save(network, saved, signatures=network.__call__)
        files = {
            "digits_f32": converter(saved).convert(),
            "digits_f16": half(saved),
            "digits_dynamic": dynamic_range(saved),
            "digits_int8": quantised(saved, seen, int8, tf.int8),
            "digits_int8_per_tensor": quantised(saved, seen, int8, tf.int8, per_channel=False),
            "digits_int16x8": quantised(saved, seen, int16x8, tf.int16),
        }
    write(files, test, labels)


if __name__ == "__main__":
    main()

"""Train the digits network and write everything that the example reads.

    python train.py

Keras (on TensorFlow) trains; the rest is numpy: the export, the post-training
quantisation in TFLite's scheme and the check of both networks. See README.md.
"""

import json
import os
import struct
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent.parent
SEED = 7
EPOCHS = 20
BATCH = 32
TEST_IMAGES = 360


# --- data -------------------------------------------------------------------


def load():
    """Images as u8[n, 8, 8] (values 0..=16) and labels; the last 360 are the test set."""
    digits = load_digits()
    images = digits.images.astype(np.uint8)
    labels = digits.target.astype(np.uint8)
    return images[:-TEST_IMAGES], labels[:-TEST_IMAGES], images[-TEST_IMAGES:], labels[-TEST_IMAGES:]


def shifted(images, labels):
    """The images and their copies moved by one pixel up, down, left and right."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    origins = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
    moved = [padded[:, y : y + 8, x : x + 8] for y, x in origins]
    return np.concatenate(moved), np.tile(labels, len(origins))


def as_input(images):
    """What the f32 network is fed: value / 16, NHWC."""
    return (images.astype(np.float32) / np.float32(16))[..., None]


# --- training ---------------------------------------------------------------


def train(images, labels):
    """Train, and return the weights by name in the layouts of the DSL."""
    keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    model = keras.Sequential(
        [
            keras.layers.Input((8, 8, 1)),
            keras.layers.Conv2D(8, 3, padding="same", activation="relu", name="conv1"),
            keras.layers.MaxPooling2D(2),
            keras.layers.Conv2D(16, 3, padding="same", activation="relu", name="conv2"),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.5),
            keras.layers.Dense(10, name="dense"),
        ]
    )
    images, labels = shifted(images, labels)
    steps = len(images) // BATCH * EPOCHS
    rate = keras.optimizers.schedules.CosineDecay(3e-3, steps)
    model.compile(
        keras.optimizers.AdamW(rate, weight_decay=1e-3),
        keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
    )
    model.fit(as_input(images), np.eye(10)[labels], batch_size=BATCH, epochs=EPOCHS, verbose=0)

    weights = {}
    for name in ["conv1", "conv2", "dense"]:
        kernel, bias = (np.asarray(w) for w in model.get_layer(name).get_weights())
        weights[f"{name}.b"] = bias
        # Dense: [in, out] -> [out, in]; convolution: HWIO -> OHWI.
        kernel = kernel.T if name == "dense" else kernel.transpose(3, 0, 1, 2)
        weights[f"{name}.w"] = np.ascontiguousarray(kernel)
    return weights


# --- the network in numpy, for both number types ------------------------------


def conv3x3(x, w, pad_value):
    """The sums of a 3x3 convolution of stride 1 under SAME padding."""
    x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=pad_value)
    view = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    return np.einsum("nyxihw,ohwi->nyxo", view, w)


def max_pool(x):
    """The largest of each 2x2 block."""
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4))


def f32_network(w, x):
    """Every activation of the f32 network."""
    conv1 = np.maximum(conv3x3(x, w["conv1.w"], 0) + w["conv1.b"], 0)
    conv2 = np.maximum(conv3x3(max_pool(conv1), w["conv2.w"], 0) + w["conv2.b"], 0)
    logits = conv2.reshape(len(x), -1) @ w["dense.w"].T + w["dense.b"]
    return {"image": x, "conv1": conv1, "conv2": conv2, "logits": logits}


# --- quantisation: TFLite's scheme ---------------------------------------------


def activation_quant(values):
    """Asymmetric int8 over the range seen, which always holds zero: (scale f32, zero point)."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = np.float32((high - low) / 255)
    return scale, int(round(-128 - low / float(scale)))


def quantise_weights(w, axis):
    """Symmetric int8 in -127..=127, a scale for each index of `axis` (None: one scale)."""
    others = None if axis is None else tuple(a for a in range(w.ndim) if a != axis)
    scale = (np.abs(w).max(axis=others) / 127).astype(np.float32)
    shape = [1] * w.ndim
    if axis is not None:
        shape[axis] = -1
    q = np.clip(np.rint(w / scale.reshape(shape).astype(np.float64)), -127, 127)
    return q.astype(np.int8), scale


def quantise(weights, calibration):
    """The int8 tensors by name, and the (scale, zero point) of every activation."""
    seen = f32_network(weights, calibration)
    quants = {
        "image": (np.float32(1 / 255), -128),
        **{name: activation_quant(seen[name]) for name in ["conv1", "conv2", "logits"]},
        "scores": (np.float32(1 / 256), -128),
    }
    tensors = {}
    inputs = {"conv1": "image", "conv2": "conv1", "dense": "conv2"}
    for name, source in inputs.items():
        q, scale = quantise_weights(weights[f"{name}.w"], None if name == "dense" else 0)
        bias_scale = np.float64(quants[source][0]) * np.float64(scale)
        tensors[f"{name}.w"] = q
        tensors[f"{name}.w_scale"] = np.atleast_1d(scale)
        tensors[f"{name}.b"] = np.rint(weights[f"{name}.b"] / bias_scale).astype(np.int32)
    return tensors, quants


def multiplier(real):
    """A positive real as q31 multiplier and left shift."""
    mantissa, shift = np.frexp(real)
    q = np.rint(mantissa * (1 << 31)).astype(np.int64)
    shift = np.where(q == 1 << 31, shift + 1, shift)
    return np.where(q == 1 << 31, 1 << 30, q), shift.astype(np.int64)


def rescale(acc, real, zero_point, act_min):
    """gemmlowp's double rounding multiply, the zero point and the clamp."""
    q, shift = multiplier(real)
    left, right = np.maximum(shift, 0), np.maximum(-shift, 0)
    product = (acc << left) * q
    nudge = np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    high = np.where(product + nudge >= 0, (product + nudge) >> 31, -(-(product + nudge) >> 31))
    mask = (np.int64(1) << right) - 1
    threshold = (mask >> 1) + (high < 0)
    out = (high >> right) + ((high & mask) > threshold)
    return np.clip(out + zero_point, act_min, 127)


def i8_network(tensors, quants, images):
    """The int8 scores of the network (its softmax in floats)."""
    t = {name: value.astype(np.int64) for name, value in tensors.items() if not name.endswith("_scale")}
    scale = {name: np.float64(s) for name, (s, _) in quants.items()}
    zero = {name: z for name, (_, z) in quants.items()}

    def finish(acc, layer, source, target, relu=True):
        real = scale[source] * tensors[f"{layer}.w_scale"].astype(np.float64) / scale[target]
        return rescale(acc + t[f"{layer}.b"], real, zero[target], zero[target] if relu else -128)

    x = np.clip(np.rint(as_input(images) / quants["image"][0]) + zero["image"], -128, 127).astype(np.int64)
    x = finish(conv3x3(x - zero["image"], t["conv1.w"], 0), "conv1", "image", "conv1")
    x = max_pool(x) - zero["conv1"]
    x = finish(conv3x3(x, t["conv2.w"], 0), "conv2", "conv1", "conv2")
    x = (x - zero["conv2"]).reshape(len(x), -1)
    x = finish(x @ t["dense.w"].T, "dense", "conv2", "logits", relu=False)
    exp = np.exp((x - x.max(axis=1, keepdims=True)) * scale["logits"])
    scores = exp / exp.sum(axis=1, keepdims=True)
    return np.clip(np.rint(scores * 256) - 128, -128, 127).astype(np.int8)


# --- files --------------------------------------------------------------------


def save_safetensors(path, tensors):
    """The safetensors format: u64 header length, JSON header, then the bytes."""
    names = {"float32": "F32", "int8": "I8", "int32": "I32"}
    header, data = {}, b""
    # The widest types first, so that every tensor lies aligned.
    for name in sorted(tensors, key=lambda name: (-tensors[name].itemsize, name)):
        array = np.ascontiguousarray(tensors[name])
        raw = array.astype(array.dtype.newbyteorder("<")).tobytes()
        header[name] = {
            "dtype": names[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    train_images, train_labels, test_images, test_labels = load()
    weights = train(train_images, train_labels)
    tensors, quants = quantise(weights, as_input(train_images))

    def accuracy(scores):
        return float((scores.argmax(axis=1) == test_labels).mean())

    f32 = accuracy(f32_network(weights, as_input(test_images))["logits"])
    i8 = accuracy(i8_network(tensors, quants, test_images))
    print(f"test accuracy: f32 {f32:.4f}, int8 {i8:.4f}")
    if f32 < 0.965 or abs(f32 - i8) > 0.01:
        raise SystemExit("the accuracy is not what the example promises: nothing was written")

    save_safetensors(HERE / "weights" / "digits_f32.safetensors", weights)
    save_safetensors(HERE / "weights" / "digits_int8.safetensors", tensors)
    (HERE / "data").mkdir(exist_ok=True)
    (HERE / "data" / "test_images.bin").write_bytes(test_images.tobytes())
    (HERE / "data" / "test_labels.bin").write_bytes(test_labels.tobytes())

    print("\nfor the int8 network's DSL:")
    for name, (scale, zero_point) in quants.items():
        print(f"  {name:7} i8 q({np.format_float_positional(scale, unique=True)}, {zero_point})")
    dense = tensors["dense.w_scale"][0]
    print(f"  dense.w i8 q({np.format_float_positional(dense, unique=True)}, 0)")


main()

"""Train the wake word's network and write everything that the example reads.

    python train.py

The network hears a whole clip while it is trained. In the example it hears a frame at a time and keeps what its
convolutions still need: the numbers are the same, and `data/scores.bin` holds them.
"""

import os
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf

import speech
from export import export

HERE = Path(__file__).resolve().parent.parent
SEED = 11
EPOCHS = 14


def sounds(random):
    """Samples of many speakers, and whether each says the word."""
    for voice in speech.VOICES:
        for variant in speech.VARIANTS:
            for _ in range(3):
                speed, pitch = random.integers(130, 220), random.integers(20, 80)
                yield speech.speak(speech.WORD, voice + variant, speed, pitch), 1
            for _ in range(12):
                speed, pitch = random.integers(130, 220), random.integers(20, 80)
                words = " ".join(random.choice(speech.OTHERS, random.integers(1, 4)))
                yield speech.speak(words, voice + variant, speed, pitch), 0


def data(sounds, copies, random):
    clips, labels = [], []
    for samples, label in sounds:
        for _ in range(copies):
            clips.append(speech.clip(samples, random))
            labels.append(label)
    for _ in range(len(clips) // 10):
        clips.append(speech.clip(np.zeros(1), random))
        labels.append(0)
    return np.stack(clips)[:, :, None, :], np.array(labels, np.float32)


def network():
    """A score a frame, of what was heard in the last 47."""
    x = clip = keras.layers.Input((speech.CLIP, 1, speech.BANDS))
    x = keras.layers.Conv2D(24, (5, 1), activation="relu", name="hear")(x)
    for index, (taps, channels) in enumerate([(11, 24), (15, 32), (19, 32)]):
        x = keras.layers.DepthwiseConv2D((taps, 1), name=f"span{index}")(x)
        x = keras.layers.Conv2D(channels, 1, activation="relu", name=f"mix{index}")(x)
    x = keras.layers.Conv2D(1, 1, activation="sigmoid", name="score")(x)
    return keras.Model(clip, x)


def train(clips, labels):
    model = network()
    heard = keras.layers.GlobalMaxPooling2D()(model.output)
    trained = keras.Model(model.input, heard)
    trained.compile(keras.optimizers.Adam(2e-3), keras.losses.BinaryCrossentropy(label_smoothing=0.02))
    trained.fit(clips, labels, batch_size=64, epochs=EPOCHS, verbose=2)
    return model


def quantised(model, clips):
    """The int8 model file."""
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([clip[None]] for clip in clips[:200])
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def main():
    keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    random = np.random.default_rng(SEED)
    spoken = list(sounds(random))
    random.shuffle(test := [(s, l) for i, (s, l) in enumerate(spoken) if i % 6 == 0])
    clips, labels = data([pair for i, pair in enumerate(spoken) if i % 6], 4, random)
    unheard, answers = data(test, 1, random)
    model = train(clips, labels)
    scores = model.predict(unheard, verbose=0).max((1, 2, 3))
    print(f"f32: {np.mean((scores > 0.5) == answers):.4f} of {len(answers)} clips")
    export(HERE, quantised(model, clips))


if __name__ == "__main__":
    main()

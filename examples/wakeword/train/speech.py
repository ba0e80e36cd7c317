"""Spoken words by eSpeak NG, and their features.

A clip is one word, with silence around it and noise over it. Its features are the logarithms of 16 mel bands, a
frame of them each 20 ms.
"""

import subprocess
import tempfile
import wave
from pathlib import Path

import numpy as np

WORD = "waterline"
OTHERS = """water waiter online line later deadline waterfall offline airline waterproof skyline hotline wander
winter alright hello computer kitchen music stop go yes no left right up down seven house marvin sheila happy
bird tree wow cat dog bed learn visual follow forward backward zero one two three four five six eight nine
what is the time turn on the light please call me tomorrow open the window set a timer""".split()
VOICES = ["en-gb", "en-us", "en-gb-scotland", "en-gb-x-gbclan", "en-gb-x-rp", "en-gb-x-gbcwmd"]
VARIANTS = ["", "+m1", "+m3", "+m5", "+m7", "+f1", "+f2", "+f3", "+f4", "+f5"]

RATE = 16_000
HOP = 320
WINDOW = 512
BANDS = 16
CLIP = 62


def speak(text, voice, speed, pitch):
    """The text as samples in -1..1 at 16 kHz."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", path, text], check=True)
        with wave.open(str(path)) as file:
            rate = file.getframerate()
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768
    at = np.arange(0, len(samples) - 1, rate / RATE)
    samples = np.interp(at, np.arange(len(samples)), samples)
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    return samples[loud[0] : loud[-1]]


def mel_bands():
    """Weights of each bin of the spectrum in each band: triangles, equally wide on the mel scale."""
    mel = np.linspace(2595 * np.log10(1 + 60 / 700), 2595 * np.log10(1 + 7600 / 700), BANDS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1) * WINDOW / RATE
    bins = np.arange(WINDOW // 2 + 1)
    rise = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(rise, fall))


BANDS_OF_BINS = mel_bands()


def features(samples):
    """f32[frames, BANDS] in about -1..1."""
    count = (len(samples) - WINDOW) // HOP + 1
    frames = np.stack([samples[i * HOP : i * HOP + WINDOW] for i in range(count)]) * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames)) ** 2
    return ((np.log(power @ BANDS_OF_BINS.T + 1e-4) + 3) / 6).astype(np.float32)


def clip(samples, random):
    """The features of CLIP frames with the samples somewhere in them, louder or softer, in noise."""
    length = WINDOW + (CLIP - 1) * HOP
    sound = random.normal(0, 1, length) * 10 ** random.uniform(-4, -2)
    samples = samples[:length] * 10 ** random.uniform(-0.7, 0)
    start = random.integers(0, length - len(samples) + 1)
    sound[start : start + len(samples)] += samples
    return features(sound)

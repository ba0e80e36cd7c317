"""The int8 model file as a network of the language, a frame at a time, and what it has to say to a recording."""

import json
import struct

import numpy as np
import tensorflow as tf

import speech

# What is heard in the recording: two of these are the word.
SENTENCES = ["turn on the kitchen light", "waterline", "what is the time", "online winter deadline", "waterline", "good bye"]


def recording(random):
    """The sentences by one speaker with pauses between them, in noise, and the frames where the word ends."""
    pause = lambda: np.zeros(int(random.uniform(0.4, 0.9) * speech.RATE))
    parts, ends = [pause()], []
    for sentence in SENTENCES:
        parts.append(0.6 * speech.speak(sentence, "en-us+m2", 165, 45))
        if sentence == speech.WORD:
            ends.append(sum(map(len, parts)) // speech.HOP)
        parts.append(pause())
    samples = np.concatenate(parts)
    return samples + random.normal(0, 1, len(samples)) * 1e-3, ends


def layers(interpreter):
    """Name, filter, bias and result of each convolution, in order."""
    tensors = {tensor["index"]: tensor for tensor in interpreter.get_tensor_details()}
    names = ["hear", "span0", "mix0", "span1", "mix1", "span2", "mix2", "score"]
    for name, op in zip(names, interpreter._get_ops_details(), strict=False):
        _, kernel, bias = op["inputs"]
        yield name, tensors[kernel], tensors[bias], tensors[op["outputs"][0]]


def quant(tensor):
    scales, zeros = tensor["quantization_parameters"]["scales"], tensor["quantization_parameters"]["zero_points"]
    return f"q({np.float32(scales[0])!s}, {zeros[0]})"


def save(path, arrays):
    """Writes a safetensors file."""
    types = {"int8": "I8", "int32": "I32", "float32": "F32"}
    header, data = {}, b""
    for name, array in arrays.items():
        bytes = np.ascontiguousarray(array).tobytes()
        span = [len(data), len(data) + len(bytes)]
        header[name] = {"dtype": types[array.dtype.name], "shape": list(array.shape), "data_offsets": span}
        data += bytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def network(interpreter):
    """The Rust file and its weights."""
    frame = quant(interpreter.get_input_details()[0])
    params, states, steps, arrays = [], [], [], {}
    value, channels, scale, heard = "frame", speech.BANDS, frame, 0
    for name, kernel, bias, result in layers(interpreter):
        depthwise = name.startswith("span")
        taps = kernel["shape"][1]
        arrays[f"{name}.w"] = interpreter.get_tensor(kernel["index"])
        arrays[f"{name}.b"] = interpreter.get_tensor(bias["index"])
        arrays[f"{name}.scale"] = kernel["quantization_parameters"]["scales"]
        shape = ", ".join(map(str, kernel["shape"]))
        axis = kernel["quantization_parameters"]["quantized_dimension"]
        params.append(f'param {name}_w: i8[{shape}] q(FILE["{name}.scale"], axis = {axis}) = FILE["{name}.w"];')
        params.append(f'param {name}_b: i32[{bias["shape"][0]}] = FILE["{name}.b"];')
        if taps > 1:
            before = f"before_{name}"
            states.append(f"state {before}: i8[1, {taps - 1}, 1, {channels}] {scale} = zeros;")
            steps.append(f"let for_{name} = concat({before}, {value}, axis = 1);")
            steps.append(f"{before} <- for_{name}.slice(begin = [0, 1, 0, 0], size = [1, {taps - 1}, 1, {channels}]);")
            value = f"for_{name}"
            heard += taps - 1
        scale = quant(result)
        op = "depthwise_conv2d" if depthwise else "conv2d"
        act = "" if depthwise or name == "score" else "act = relu, "
        steps.append(f"let {name} = {value}.{op}({name}_w, {name}_b, {act}out = i8 {scale});")
        value, channels = name, result["shape"][3]
    steps.append("/// How much the last second sounded like the word, in 1/256 from -128.")
    steps.append("output score = sigmoid(score);")
    body = [f"/// The logarithms of {speech.BANDS} mel bands.", f"input frame: i8[1, 1, 1, {speech.BANDS}] {frame};", ""]
    body += params + ["", "// What the convolutions have heard before."] + states + [""] + steps
    indented = "\n".join(f"        {line}" if line else "" for line in body).replace("FILE", '"weights/wakeword.safetensors"')
    return arrays, f"""//! The network of the wake word, written by `train/train.py`.

waterline::graph! {{
    /// Hears a frame of 20 ms at a time.
    pub mod wakeword {{
        plan {{ budget = 8 KiB }}

{indented.replace("output score = sigmoid(score)", "output heard = score.sigmoid()")}
    }}
}}

/// Frames until the score is of sounds alone.
pub const WARM_UP: usize = {heard};
"""


def export(here, file):
    interpreter = tf.lite.Interpreter(
        model_content=file, experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF
    )
    interpreter.allocate_tensors()
    arrays, code = network(interpreter)
    save(here / "weights" / "wakeword.safetensors", arrays)
    (here / "src" / "network.rs").write_text(code)

    samples, ends = recording(np.random.default_rng(3))
    sound = speech.features(samples)
    scale, zero = interpreter.get_input_details()[0]["quantization"]
    frames = np.clip(np.round(sound / np.float32(scale)) + zero, -128, 127).astype(np.int8)
    interpreter.resize_tensor_input(0, [1, len(frames), 1, speech.BANDS])
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, frames[None, :, None, :])
    interpreter.invoke()
    scores = interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).ravel()
    (here / "data" / "frames.bin").write_bytes(frames.tobytes())
    (here / "data" / "scores.bin").write_bytes(scores.tobytes())
    heard = np.flatnonzero(scores > 100) + len(frames) - len(scores)
    print(f"recording: {len(frames)} frames; the word ends at {ends}, is heard in {heard}")

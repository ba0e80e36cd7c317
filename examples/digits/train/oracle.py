"""Write what TensorFlow's own interpreters make of test images, beside each model: `NAME.io.npz`.

    python oracle.py

Keys: `in{sample}_{input}` and `out{sample}_{output}`; samples follow each other without a reset of what an
LSTM remembers. The truth is TensorFlow Lite Micro; for the forms
that it does not run, f16 and dynamic range, it is TensorFlow Lite's reference kernels.
"""

from export import HERE, load  # it sets TensorFlow up

import numpy as np
import tensorflow as tf
from tflite_micro import runtime

SAMPLES = 8
NOT_ON_MICRO = ["digits_f16", "digits_dynamic"]


def micro(file):
    """A function from an input to the output of `file`, by TensorFlow Lite Micro."""
    interpreter = runtime.Interpreter.from_bytes(file)

    def run(value):
        interpreter.set_input(value, 0)
        interpreter.invoke()
        return interpreter.get_output(0)

    return run


def lite(file):
    """A function from an input to the output of `file`, by TensorFlow Lite's reference kernels."""
    interpreter = tf.lite.Interpreter(
        model_content=file, experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF
    )
    interpreter.allocate_tensors()

    def run(value):
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], value)
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])

    return run


def main():
    images = load()[2][:SAMPLES]
    for path in sorted((HERE / "models").glob("*.tflite")):
        file = path.read_bytes()
        details = tf.lite.Interpreter(model_content=file).get_input_details()[0]
        run = lite(file) if path.stem in NOT_ON_MICRO else micro(file)
        arrays = {}
        for sample, image in enumerate(images):
            value = image.reshape(details["shape"])
            if details["dtype"] != np.float32:
                scale, zero_point = details["quantization"]
                limits = np.iinfo(details["dtype"])
                value = np.clip(np.rint(value / scale + zero_point), limits.min, limits.max).astype(details["dtype"])
            arrays[f"in{sample}_0"], arrays[f"out{sample}_0"] = value, run(value)
        np.savez_compressed(path.with_suffix(".io.npz"), **arrays)
        print(path.stem, [int(arrays[f"out{sample}_0"].argmax()) for sample in range(SAMPLES)])


main()

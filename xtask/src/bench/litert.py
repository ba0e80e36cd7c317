"""Runs a model in LiteRT: for each line on the input, prints the median nanoseconds of a run of a batch.

Arguments: the model file and how many runs a batch has. One thread, the built-in kernels, no delegate.
"""

import struct
import sys
import time

import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def without_stray_axes(model):
    """Some public files give biases, which have one axis, the axis of their weights. LiteRT refuses them."""
    model = bytearray(model)

    def number(at, form="<I"):
        return struct.unpack_from(form, model, at)[0]

    def target(at):
        return at + number(at)

    def field(table, index):
        entries = table - number(table, "<i")
        offset = number(entries + 4 + 2 * index, "<H") if 4 + 2 * index < number(entries, "<H") else 0
        return table + offset if offset else None

    def tables(vector):
        return [target(vector + 4 + 4 * i) for i in range(number(vector))]

    for graph in tables(target(field(target(0), 2))):
        for tensor in tables(target(field(graph, 0))):
            shape, quantization = field(tensor, 0), field(tensor, 4)
            axis = quantization and field(target(quantization), 6)
            if axis and shape and number(axis, "<i") >= number(target(shape)):
                struct.pack_into("<i", model, axis, 0)
    return bytes(model)


def main():
    with open(sys.argv[1], "rb") as file:
        model = without_stray_axes(file.read())
    batch = int(sys.argv[2])
    resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    for entry in interpreter.get_input_details():
        interpreter.set_tensor(entry["index"], numpy.zeros(entry["shape"], entry["dtype"]))
    interpreter.invoke()
    for _ in sys.stdin:
        times = []
        for _ in range(batch):
            begun = time.perf_counter_ns()
            interpreter.invoke()
            times.append(time.perf_counter_ns() - begun)
        print('{"nanoseconds":%d}' % sorted(times)[batch // 2], flush=True)


if __name__ == "__main__":
    main()

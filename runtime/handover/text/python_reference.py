# ---- The program beside this file writes inputs and sizes into a folder, and reads the outputs there ----
import pathlib
import sys

import numpy as handover_numpy


def handover_shape(words):
    return tuple(int(each) for each in words)


def handover_main(source, types):
    """Calls reference(inputs, dims). Tensors are files of f64, row by row; `types` has the types of inputs and numbers."""
    folder = pathlib.Path(sys.argv[1])
    inputs, dims, outputs = {}, {}, {}
    for line in (folder / "arguments").read_text().splitlines():
        what, name, *words = line.split()
        if what == "input":
            values = handover_numpy.fromfile(folder / name, handover_numpy.float64)
            inputs[name] = values.reshape(handover_shape(words)).astype(types[name])
        elif what == "number":
            inputs[name] = types[name](float(words[0]))
        elif what == "dim":
            dims[name] = int(words[0])
        else:
            outputs[name] = handover_shape(words)
    space = {"__name__": "reference"}
    exec(compile(source, "reference", "exec"), space)
    result = space["reference"](inputs, dims)
    if not isinstance(result, dict):
        result = dict(zip(outputs, result if isinstance(result, (tuple, list)) else [result]))
    for name, shape in outputs.items():
        array = handover_numpy.asarray(result[name])
        if array.shape != shape:
            sys.exit(f"the reference gives `{name}` the shape {array.shape}, expected {shape}")
        array.astype(handover_numpy.float64).tofile(folder / (name + ".out"))

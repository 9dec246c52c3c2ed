"""A session of a host worker (runtime/reference/host_job.h) in Python: python_copies.py calls it in
a copy of the interpreter.

Enters the sandbox, and only then looks at the program's source. Talks in frames over a socket, 4
bytes of length and JSON; tensors lie in memory shared with the server.
"""

import importlib
import mmap
import os
import sys

# Address space: the interpreter and its libraries, and for the program's own arrays some times the
# size of its tensors, as f64 is wider than what it gets. A PyTorch with its GPU libraries maps more
# than ten GiB.
MEMORY, TORCH_MEMORY, ARENAS = 2 << 30, 24 << 30, 8
# BufferRole in runtime/kernel/plan/plan.h.
IN, OUT = 0, 1
# What a program may import: nothing can be loaded any more when it runs.
MODULES = ("cmath", "collections", "dataclasses", "fractions", "functools", "itertools", "math",
           "numpy", "operator", "typing")
LARGE_MODULES = {"torch": ("torch", "torch.nn.functional"),
                 "scipy": ("scipy", "scipy.special", "scipy.signal", "scipy.ndimage",
                           "scipy.linalg", "scipy.sparse")}
DTYPES = {"f64": "<f8", "f32": "<f4", "tf32": "<f4", "f16": "<f2", "i64": "<i8", "i32": "<i4",
          "i16": "<i2", "i8": "<i1", "u64": "<u8", "u32": "<u4", "u16": "<u2", "u8": "<u1",
          "bool": "?"}
NAME = "reference"


class Wrong(Exception):
    """What a program gave is not what its problem says."""


def describe(error, source):
    place = place_of(error, source, NAME)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    if isinstance(error, Wrong):
        return text
    return f"{type(error).__name__}{': ' if text else ''}{text[:500]}{place}"


class Program:
    def __init__(self, job, arena, numpy):
        self.job, self.arena, self.numpy = job, arena, numpy
        self.outputs = [tensor for tensor in job["tensors"] if tensor["role"] != IN]
        space = {"__name__": NAME}
        exec(compile(job["source"], NAME, "exec"), space)
        self.function = space.get("reference")
        if not callable(self.function):
            raise Wrong("the source defines no function `reference(inputs, dims)`")

    def view(self, tensor):
        count = 1
        for extent in tensor["shape"]:
            count *= extent
        elements = self.numpy.frombuffer(self.arena, DTYPES[tensor["wire"]], count,
                                         tensor["offset"])
        return elements.reshape(tensor["shape"])

    def inputs(self):
        values = {}
        for tensor in self.job["tensors"]:
            if tensor["role"] != OUT:
                values[tensor["name"]] = self.view(tensor)
                values[tensor["name"]].flags.writeable = False
        for scalar in self.job["scalars"]:
            whole = scalar["type"][0] in "iu"
            convert = bool if scalar["type"] == "bool" else int if whole else float
            values[scalar["name"]] = convert(scalar["value"])
        return values

    def by_name(self, result):
        names = [tensor["name"] for tensor in self.outputs]
        if isinstance(result, (tuple, list)) and len(result) == len(names):
            result = dict(zip(names, result))
        elif not isinstance(result, dict) and len(names) == 1 and result is not None:
            result = {names[0]: result}
        if not isinstance(result, dict):
            raise Wrong(f"reference() gave {type(result).__name__}, expected a dict of arrays by "
                        f"name: {', '.join(names)}")
        for name in names:
            if name not in result:
                raise Wrong(f"reference() gave no output `{name}`")
        for name in result:
            if name not in names:
                raise Wrong(f"reference() gave `{name}`, the outputs are {', '.join(names)}")
        return result

    def run(self):
        result = self.by_name(self.function(self.inputs(), dict(self.job["dims"])))
        for tensor in self.outputs:
            array = self.numpy.asarray(result[tensor["name"]])
            if list(array.shape) != tensor["shape"]:
                raise Wrong(f"output `{tensor['name']}` has shape {array.shape}, the problem says "
                            f"{tuple(tensor['shape'])}")
            target = self.view(tensor)
            if array.dtype.kind not in ("biuf" if target.dtype.kind == "f" else "biu"):
                raise Wrong(f"output `{tensor['name']}` has elements of type {array.dtype}, the "
                            f"problem says {tensor['type']}")
            self.must_hold(tensor, target.dtype, array)
            self.numpy.copyto(target, array, casting="unsafe")

    def must_hold(self, tensor, dtype, array):
        """An integer beyond its type would wrap, and a right kernel be called wrong."""
        if dtype.kind not in "iu" or array.size == 0 or array.dtype.kind == "b":
            return
        limits = self.numpy.iinfo(dtype)
        for value in (int(array.min()), int(array.max())):
            if not limits.min <= value <= limits.max:
                raise Wrong(f"output `{tensor['name']}` has {value}, which {tensor['type']} cannot "
                            "hold; wrap it with astype() if that is meant")


def load_libraries(large):
    """Says what is missing."""
    try:
        importlib.import_module("numpy")
    except ImportError as error:
        return str(error)
    for name in MODULES + tuple(name for library in large for name in LARGE_MODULES[library]):
        try:
            importlib.import_module(name)
        except ImportError:
            pass  # The program's own import says so.
    if "torch" in sys.modules:
        use_cpu(sys.modules["torch"])
    return ""


def serve(job, rules):
    """One session, in the sandbox."""
    numpy = sys.modules["numpy"]
    numpy.random.seed()
    arena = mmap.mmap(ARENA, job["arena_bytes"])
    os.close(ARENA)
    confine(rules, (TORCH_MEMORY if "torch" in sys.modules else MEMORY) + ARENAS * job["arena_bytes"],
            "a reference", f"torch and scipy where they are installed, and {', '.join(MODULES)}")
    reserve = bytearray(1 << 20)  # To say that there is no memory left.
    try:
        program = Program(job, arena, numpy)
        tell()
        while True:
            receive_frame()  # The doorbell.
            program.run()
            tell()
    except BaseException as error:
        del reserve
        verdict = "syntax_error" if isinstance(error, SyntaxError) else "runtime_error"
        tell(verdict, describe(error, job["source"]))

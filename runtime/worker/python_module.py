"""Makes a problem of a PyTorch module (runtime/reference/module_import.h): python_copies.py calls it
in a copy of an interpreter that has imported torch. It uses python_sizes.py, python_checks.py and
python_problem.py.

Enters the sandbox, and only then executes the module's source: `Model`, `get_inputs` and
`get_init_inputs`, or one function and `get_inputs`. Answers with one frame of JSON: the problem, or
why there is none.
"""

import contextlib
import copy
import importlib
import inspect
import os
import sys
import tempfile

MEMORY = 24 << 30  # Address space: a PyTorch with its GPU libraries maps more than ten GiB.
NAME = "module"
SMALLER = "let get_inputs() give smaller tensors: sizes are taken for examples"
GETTERS = ("get_inputs", "get_init_inputs")
# What an expression of a problem cannot be called, and C++ keywords that come up as names.
TAKEN = {"and", "or", "not", "if", "else", "min", "max", "cdiv", "true", "false", "in", "out", "int", "float",
         "double", "const", "new", "this", "class", "template", "default", "switch", "case", "register", "auto"}
# What a module may import beside PyTorch: nothing can be loaded any more when it runs.
MODULES = ("cmath", "collections", "copy", "dataclasses", "enum", "functools", "inspect", "itertools", "math", "numpy",
           "operator", "random", "typing", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.utils.checkpoint")
TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32",
         "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "bool"}


class Wrong(Exception):
    """The module cannot be expressed as a problem."""

    def __init__(self, message, hint=""):
        super().__init__(message)
        self.hint = hint


def place(function):
    """" (line LINE)" of a function of the module."""
    code = getattr(function, "__code__", None)
    return f" (line {code.co_firstlineno})" if code is not None and code.co_filename == NAME else ""


class Module:
    """The module's source, executed: how its parts are made and called."""

    def __init__(self, torch, source, seed):
        self.torch, self.seed, self.without_f16 = torch, seed, False
        self.space = {"__name__": NAME}
        exec(compile(source, NAME, "exec"), self.space)
        self.get_inputs = self.space.get("get_inputs")
        if not callable(self.get_inputs):
            raise Wrong("the module defines no function `get_inputs()`",
                        "add one that gives the list of example inputs")
        self.model_class = self.space.get("Model")
        self.function = None if callable(self.model_class) else self.only_function()
        self.names = self.parameter_names()

    def only_function(self):
        found = [value for name, value in self.space.items() if inspect.isfunction(value)
                 and value.__code__.co_filename == NAME and name not in GETTERS and not name.startswith("_")]
        named = [value for value in found if value.__name__ == "forward"]
        if len(named or found) != 1:
            names = ", ".join(value.__name__ for value in found) or "none"
            raise Wrong(f"the module has no class `Model`, and of its functions ({names}) it is not clear which one "
                        "is meant", "name the class `Model`, or the function `forward`")
        return (named or found)[0]

    def parameter_names(self):
        forward = self.function or self.model_class.forward
        names = [each.name for each in inspect.signature(forward).parameters.values()
                 if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
        return names if self.function else names[1:]

    def inputs(self, seed):
        self.torch.manual_seed(seed)
        values = self.get_inputs()
        if not isinstance(values, (list, tuple)):
            raise Wrong(f"get_inputs(){place(self.get_inputs)} gives {type(values).__name__}, expected a list")
        values = list(values)
        if len(values) > len(self.names):
            raise Wrong(f"get_inputs(){place(self.get_inputs)} gives {len(values)} values, and forward() takes "
                        f"{len(self.names)}")
        for name, value in zip(self.names, values):
            if not isinstance(value, (self.torch.Tensor, int, float, bool)):
                raise Wrong(f"get_inputs(){place(self.get_inputs)} gives a {type(value).__name__} for `{name}`: the "
                            "inputs of a problem are tensors and numbers",
                            "let the module take each tensor by itself")
            if isinstance(value, self.torch.Tensor) and self.kind(value, f"input `{name}`") is None:
                raise Wrong(f"input `{name}` has elements of type {value.dtype}, which problems do not have")
        return values

    def kind(self, tensor, what):
        if tensor.layout != self.torch.strided:
            raise Wrong(f"{what} is a sparse tensor, which problems do not have")
        return TYPES.get(str(tensor.dtype).split(".")[-1])

    def make(self, seed):
        """The module, or the function; with the weights that its own code draws from `seed`."""
        if self.function:
            return self.function
        self.torch.manual_seed(seed)
        getter = self.space.get("get_init_inputs", list)
        given = getter()
        return self.model_class(**given) if isinstance(given, dict) else self.model_class(*given)

    def state(self, model):
        if self.function:
            return {}
        return dict(model.named_parameters()) | dict(model.named_buffers())

    def on_meta(self, model, values):
        return ((model if self.function else copy.deepcopy(model).to("meta")),
                [value.to("meta") if isinstance(value, self.torch.Tensor) else value for value in values])

    def in_f32(self, model, values):
        """A copy of the module and of the values with f32 in place of f16."""
        def wider(tensor):
            return tensor.float() if tensor.dtype == self.torch.float16 else tensor

        return ((model if self.function else copy.deepcopy(model)._apply(wider)),
                [wider(value) if isinstance(value, self.torch.Tensor) else value for value in values])

    def results(self, model, values):
        """A list. Where this PyTorch does not compute in f16 on a CPU, they are computed in f32 and rounded."""
        if not self.without_f16:
            try:
                return as_list(model(*values))
            except RuntimeError as error:
                if "not implemented for 'Half'" not in str(error):
                    raise
                self.without_f16 = True
        wide, wide_values = self.in_f32(model, values)
        results = as_list(wide(*wide_values))
        for name, tensor in self.state(model).items():
            tensor.copy_(self.state(wide)[name])
        for value, after in zip(values, wide_values):
            if isinstance(value, self.torch.Tensor):
                value.copy_(after)
        meta, meta_values = self.on_meta(model, values)
        kinds = [each.dtype for each in as_list(meta(*meta_values))]
        return [each.to(kind) for each, kind in zip(results, kinds)]

    def outputs(self, model, values):
        with self.torch.no_grad():
            listed = self.results(model, values)
        for each in listed:
            if not isinstance(each, self.torch.Tensor):
                raise Wrong(f"the module gives a {type(each).__name__}: the outputs of a problem are tensors")
            if self.kind(each, "an output") is None:
                raise Wrong(f"an output has elements of type {each.dtype}, which problems do not have")
        return listed


def as_list(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def use_once(torch):
    """Uses what PyTorch imports at its first use: no file can be opened in the sandbox."""
    functional = torch.nn.functional
    tensor = torch.empty(4, 4, device="meta")
    counter = sys.modules.get("torch.utils.flop_counter")
    with counter.FlopCounterMode(display=False) if counter else contextlib.nullcontext():
        (tensor @ tensor).pow(2).mean(-1, keepdim=True).rsqrt().sum()
        functional.conv2d(tensor[None, None], tensor[None, None, :3, :3])
        functional.softmax(functional.gelu(functional.layer_norm(tensor, (4,))), -1).cumsum(-1)
        if hasattr(functional, "scaled_dot_product_attention"):
            functional.scaled_dot_product_attention(*[tensor[None, None]] * 3)


def load_libraries(_):
    """Says what is missing."""
    # PyTorch makes its folder for caches when it is first used, if it is not there.
    os.environ.update(USER=NAME, HOME="/tmp", TORCHINDUCTOR_CACHE_DIR="/tmp")
    tempfile.tempdir = "/tmp"
    try:
        torch = importlib.import_module("torch")
        for name in MODULES:
            importlib.import_module(name)
    except ImportError as error:
        return str(error)
    try:
        importlib.import_module("torch.utils.flop_counter")
    except ImportError:
        pass  # This PyTorch does not count: the problem has no `flops`.
    use_cpu(torch)
    use_once(torch)
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False  # It writes machine code while it runs, which the sandbox forbids.
    return ""


def serve(job, rules):
    """One module, in the sandbox."""
    os.close(ARENA)  # What stands for one is empty.
    confine(rules, MEMORY, "a module", f"torch, {', '.join(each for each in MODULES if not each.startswith('torch'))}")
    try:
        answer(verdict="", problem=problem_of(sys.modules["torch"], job["source"], job["seed"]))
    except Wrong as error:
        tell("refused", str(error) + place_of(error, job["source"], NAME), error.hint)
    except MemoryError:
        tell("refused", "the module needs more memory than an import may have", SMALLER)
    except BaseException as error:
        kind = "syntax_error" if isinstance(error, SyntaxError) else "runtime_error"
        text, hint = error.msg if isinstance(error, SyntaxError) else str(error), ""
        if "DefaultCPUAllocator" in text or "can't allocate memory" in text:
            text, hint = "it needs more memory than an import may have", SMALLER
        tell(kind, f"{type(error).__name__}: {text[:500]}{place_of(error, job['source'], NAME)}", hint)

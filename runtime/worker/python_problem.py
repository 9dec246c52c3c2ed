"""The problem that a module stands for: arguments, dims, fills, and a reference that runs the module."""

SAMPLE = 1 << 20  # Elements by which a distribution is judged: large tensors have billions.

REFERENCE = '''

# How the problem's arguments reach the module: by name, each a tensor of its type.
def make_module():
    import torch
    torch.manual_seed({seed})
    return {make}


def load_module(model, tensors):
    import torch
    with torch.no_grad():
        state = {state}
        for name, argument in {weights}:
            state[name].copy_(tensors[argument])


def call_module(model, tensors):
    import torch
    with torch.no_grad():
        result = model({call})
    return dict(zip({outputs}, result if isinstance(result, (tuple, list)) else [result]))


# The module's results for the inputs of the problem, {accuracy}.
def reference(inputs, dims, _made=[]):
    import torch
    torch.backends.mkldnn.enabled = False  # Its code is made at run time, which is not allowed here.
    if not _made:
        _made.append({model})
    types = {types}
    tensors = {{name: torch.tensor(values).to(types[name]) for name, values in inputs.items()}}
    load_module(_made[0], tensors)
    return {{name: value.float().numpy() if value.dtype == torch.bfloat16 else value.numpy()
            for name, value in call_module(_made[0], tensors).items()}}
'''


def fill_of(tensor):
    """A fill with the distribution that a tensor seems to be drawn from."""
    if not tensor.numel():
        return "zeros"
    whole = tensor.detach().flatten()
    low, high = float(whole.min()), float(whole.max())
    values = whole[::max(1, whole.numel() // SAMPLE)].double()
    if not tensor.is_floating_point():
        return {"kind": "range", "low": 0 if 0 <= low <= 0.1 * high else int(low), "high": int(high) + 1}
    if low == high:  # A kernel could leave out what is always 0 or 1: it is drawn around that.
        return {"kind": "normal", "mean": rounded(low), "std": rounded(0.1 * max(abs(low), 1.0))}
    mean, spread = float(values.mean()), float(values.std())
    tail = float(((values - mean) ** 4).mean()) / spread ** 4 if spread > 0 else 3.0
    if tail < 2.2 and values.numel() >= 64:  # 1.8 for even numbers in a range, 3 for a normal distribution.
        return {"kind": "uniform", "low": rounded(low, high - low), "high": rounded(high, high - low)}
    near_one = abs(spread - 1) < 4 / (2 * values.numel()) ** 0.5
    return {"kind": "normal", "mean": rounded(mean, 10 * spread), "std": 1.0 if near_one else rounded(spread)}


def rounded(value, scale=0.0):
    """Two digits of a number, where less than a hundredth of `scale` is noise."""
    return 0.0 if abs(value) < 0.01 * scale else float(f"{value:.2g}")


def identifier(text, taken):
    """A name for a problem's argument, which is none of `taken`."""
    name = "".join(c if c.isalnum() and c.isascii() or c == "_" else "_" for c in text)
    name = "_" + name if not name or name[0].isdigit() else name
    name = name + "_" if name.lower() in TAKEN else name
    while name in taken:
        name += "_"
    taken.add(name)
    return name


class Names:
    """Names of dims and arguments, none of which comes twice."""

    def __init__(self):
        self.taken = set()

    def give(self, text):
        return identifier(text, self.taken)


def dims_of(module, sizes, names):
    """For each symbol its name and its form."""
    known = [(name, value) for name, value in module.space.items()
             if isinstance(value, int) and not isinstance(value, bool) and not name.startswith("_")]
    rows = []
    for axes in sizes.symbols:
        size = sizes.size(axes[0])
        name = next((name for name, value in known if value == size and name not in names.taken), f"d{len(rows)}")
        low, step = sizes.smallest(axes)
        high = 2 * size if sizes.takes(axes, 2 * size) else size
        rows.append((names.give(name), {"values": [size], "min": low, "max": high, "multiple_of": step}))
    return rows


def tie_indices(fill, dims):
    """Integers may be indices: they follow the dim that has their number of values, and larger dims do not become
    smaller than it."""
    high = fill["high"]
    equal = [name for name, form in dims if form["values"][0] == high]
    if equal:
        fill["high"] = equal[0]
        return
    for _, form in dims:
        if form["values"][0] > high:
            form["min"] = max(form["min"], -(-high // form["multiple_of"]) * form["multiple_of"])


def shape_text(shape, dims):
    return [size if isinstance(size, int) else size.format(*(name for name, _ in dims)) for size in shape]


def input_shape(sizes, index, dims):
    value = sizes.values[index]
    at = {axis: dims[which][0] for which, axes in enumerate(sizes.symbols) for axis in axes}
    return [at.get((index, axis), size) for axis, size in enumerate(value.shape)]


def call_text(torch, values, names):
    """The arguments of the module's call."""
    return ", ".join(f"tensors[{names[i]!r}]" if isinstance(value, torch.Tensor) else repr(value)
                     for i, value in enumerate(values))


def types_text(torch, args, wide):
    """The types that the reference's tensors have, by argument."""
    parts = []
    for arg in args:
        kind = next(name for name, short in TYPES.items() if short == arg["type"])
        floating = getattr(torch, kind).is_floating_point
        parts.append(f"{arg['name']!r}: torch.{'float64' if wide and floating else kind}")
    return "{" + ", ".join(parts) + "}"


def in_double(torch, module, values, first):
    """Whether the module gives the same, but more accurate, results in f64."""
    try:
        model = module.make(module.seed)
        model = model if module.function else model.double()
        wide = [value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value
                for value in values]
        results = module.outputs(model, wide)
    except Exception:
        return False
    return all(a.shape == b.shape and (not a.is_floating_point() or b.dtype == torch.float64)
               and torch.allclose(a.double(), b.double(), rtol=0.05, atol=0.05, equal_nan=True)
               for a, b in zip(first, results))


def weights_of(module, model, used, names):
    """For each weight that matters: its name in the module, and its argument."""
    state = module.state(model)
    rows = []
    for name in used:
        tensor = state[name]
        rows.append((name, {"name": names.give(name), "type": module.kind(tensor, f"weight `{name}`"), "role": "in",
                            "shape": list(tensor.shape), "fill": fill_of(tensor)}))
    return rows


def notes_of(module, sizes, changed, dims, constant):
    notes = []
    if changed:
        notes.append(f"each call of the module changes `{changed[0]}`; only its results are part of the problem")
    if sizes.shapes is None:
        notes.append("no size may vary, as torch runs this module only on data")
    fixed = sorted({sizes.size(axis) for axis in sizes.axes
                    if not any(axis in axes for axes in sizes.symbols)})
    if fixed and sizes.shapes is not None:
        notes.append("sizes that stay as they are, as the module takes no others: "
                     + ", ".join(str(size) for size in fixed))
    if constant:
        notes.append(f"weights that begin with equal elements are drawn around them: {', '.join(constant)}")
    unnamed = [name for name, _ in dims if name.startswith("d") and name[1:].isdigit()]
    if unnamed:
        notes.append(f"dims without a name in the module: {', '.join(unnamed)}; a number of the module that has the "
                     "same value gives its name")
    return notes


def problem_of(torch, source, seed):
    module = Module(torch, source, seed)
    given = module.inputs(seed)
    fills = [fill_of(value) if isinstance(value, torch.Tensor) else None for value in given]
    values = [value.to("meta") if isinstance(value, torch.Tensor) else value for value in given]
    sizes = Sizes(torch, module, values)
    keep_what_runs(torch, module, sizes, given)
    names = Names()
    inputs = [names.give(name) for name, _ in zip(module.names, values)]
    dims = dims_of(module, sizes, names)
    axes = small_sizes(sizes)
    small = cut(torch, given, axes)
    others = cut(torch, given, axes, from_end=True) if axes else module.inputs(seed + 1)
    del given  # It may have gigabytes.
    model = module.make(seed)
    check_shapes(module, model, small, others)
    first, changed = check_pure(module, model, small)
    weights = weights_of(module, model, used_weights(module, model, small, changed), names)
    args = [{"name": inputs[i], "type": module.kind(value, f"input `{inputs[i]}`"), "role": "in",
             "shape": input_shape(sizes, i, dims), "fill": fills[i]}
            for i, value in enumerate(values) if isinstance(value, torch.Tensor)]
    for arg in args:
        if isinstance(arg["fill"], dict) and arg["fill"]["kind"] == "range":
            tie_indices(arg["fill"], dims)
    state = module.state(model)
    constant = [name for name, _ in weights if bool((state[name] == state[name].flatten()[0]).all())]
    args += [arg for _, arg in weights]
    whole = [list(each.shape) for each in first] if sizes.shapes is None else [
        shape_text(shape, dims) for shape in sizes.outputs]
    outputs = [names.give("output" if i == 0 else f"output_{i}") for i in range(len(first))]
    args += [{"name": name, "type": module.kind(each, "an output"), "role": "out", "shape": shape}
             for name, each, shape in zip(outputs, first, whole)]
    wide = in_double(torch, module, small, first)
    if module.without_f16 and not wide:
        raise Wrong("this PyTorch does not compute the module in f16 on a CPU, and in f64 its results are others",
                    "use PyTorch 2.2 or newer, or let the module take bfloat16")
    made = module.function.__name__ if module.function else (
        "Model(**g) if isinstance(g := get_init_inputs(), dict) else Model(*g)" if "get_init_inputs" in module.space
        else "Model()")
    reference = source.rstrip("\n") + "\n" + REFERENCE.format(
        accuracy="in f64" if wide else "in its own types", seed=seed, make=made,
        model="make_module()" + (".double()" if wide and not module.function else ""),
        state="{}" if module.function else "dict(model.named_parameters()) | dict(model.named_buffers())",
        weights=[(name, arg["name"]) for name, arg in weights], outputs=outputs,
        types=types_text(torch, [arg for arg in args if arg["role"] == "in"], wide),
        call=call_text(torch, values, inputs))
    problem = {"dims": dict(dims), "args": args, "bytes": bytes_text(args),
               "reference": {"kind": "python", "source": reference},
               "notes": notes_of(module, sizes, changed, dims, constant)}
    flops = flops_text(sizes, dims)
    return problem | ({"flops": flops} if flops else {})

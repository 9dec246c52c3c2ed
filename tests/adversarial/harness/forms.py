"""Short ways to write problems and kernels, as the JSON forms that the tools take.

A problem's arguments are one string: "x: f32[n]; y: f32[n] out; w: f32[n, 3] = uniform(0.5, 2)".
A launch takes the arguments of its entry by name, so that a kernel's signature is its plan.
"""

import re

ARGUMENT = re.compile(r"(\w+): (\w+)(?:\[([^\]]*)\])?( out| inout| scalar)?(?: = (.+))?$")
FILL = re.compile(r"(\w+)\((.*)\)$")
FILL_FIELDS = {
    "sorted_offsets": ("low", "high"),
    "sorted_indices": ("low", "high"),
    "normal": ("mean", "std"),
    "uniform": ("low", "high"),
    "range": ("low", "high"),
    "log_uniform": ("low", "high"),
    "sparse": ("density", "mean", "std"),
    "exact_integers": ("limit",),
    "iota": ("start", "step"),
}


def sizes(*values, least=1, most=4096, multiple=1):
    """A dim with hidden sizes: `validate` draws some between least and most."""
    return {"values": list(values), "min": least, "max": most, "multiple_of": multiple}


def fill_of(text):
    call = FILL.match(text)
    if not call:
        return text
    numbers = [float(number) for number in call.group(2).split(",")]
    return {"kind": call.group(1), **dict(zip(FILL_FIELDS[call.group(1)], numbers))}


def argument(text):
    """One argument's form. A scalar's "= 0.5, 2" are its values."""
    parts = ARGUMENT.match(text.strip())
    if not parts:
        raise ValueError(f"not an argument: {text}")
    name, kind, shape, role, value = parts.groups()
    form = {"name": name, "type": kind, "role": (role or " in").strip()}
    if form["role"] == "scalar":
        form["values"] = [float(v) if "f" in kind else int(v) for v in value.split(",")]
        return form
    form["shape"] = [size.strip() for size in shape.split(",")] if shape else []
    if value:
        form["fill"] = fill_of(value)
    return form


def entries(source):
    """The entries of a source with the names of their parameters, in order."""
    found = {}
    for match in re.finditer(r"__global__\s+void\s+(?:__launch_bounds__\(\d+\)\s+)?(\w+)\(([^)]*)\)", source):
        parameters = [p for p in match.group(2).split(",") if p.strip()]
        found[match.group(1)] = [re.search(r"(\w+)\s*$", p).group(1) for p in parameters]
    return found


def launch(source, entry, grid="cdiv(n, 256)", block="256", args=None, **fields):
    """One launch. `grid` and `block` are an expression or a list of them; args: the entry's own."""
    names = entries(source)[entry.split("<")[0]]
    return {"entry": entry, "grid": [grid] if isinstance(grid, str) else grid,
            "block": [block] if isinstance(block, str) else block,
            "args": names if args is None else args, **fields}


def kernel(source, grid="cdiv(n, 256)", block="256", steps=None, entry=None, shared=None, **fields):
    """A kernel of one launch, or of `steps`: (entry, grid, block) or with further fields as a dict."""
    if steps is None:
        more = {} if shared is None else {"shared_bytes": shared}
        launches = [launch(source, entry or next(iter(entries(source))), grid, block, **more)]
    else:
        launches = [launch(source, step[0], step[1], step[2], **(step[3] if step[3:] else {}))
                    for step in steps]
    return {"name": "k", "language": "cuda", "source": source, "launches": launches, **fields}


def problem(dims, arguments, reference, grid="cdiv(n, 256)", block="256", **fields):
    """A problem whose reference is a kernel's source, or a reference's whole form."""
    if isinstance(reference, str):
        entry = list(entries(reference))[-1]
        reference = {"kind": "kernel", "language": "cuda", "source": reference, "entry": entry,
                     "launches": [launch(reference, entry, grid, block)]}
    return {"name": "adversarial", "dims": dims,
            "args": [argument(text) for text in arguments.split(";")],
            "reference": reference, **fields}


def each(statement, parameters="const float* x, float* y, int n", before="", name="k", count="n"):
    """A source whose threads each do one statement for their element i."""
    return (f"{before}__global__ void {name}({parameters}) {{\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"  if (i < {count}) {{\n    {statement}\n  }}\n}}\n")


def map_problem(expression, fill="normal", dims=None, domain=None, **fields):
    """y[i] = expression of v, which is x[i] in double precision; `domain` bounds the inputs."""
    source = each(f"acc_t v = x[i];\n    y[i] = (float)({expression});", name="reference")
    form = problem(dims or {"n": sizes(500, 1000)}, f"x: f32[n] = {fill}; y: f32[n] out", source, **fields)
    if domain:
        form["args"][0]["domain"] = domain
    return form


def map_kernel(statement, before="", **fields):
    """The kernel of a map: `statement` sets y[i] from v, which is x[i]."""
    return kernel(each(f"float v = x[i];\n    {statement}", before=before), **fields)


def edited(form, *edits):
    """The same kernel with (old, new) replaced in its source, each found exactly once."""
    source = form["source"]
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(f"{source.count(old)} places read: {old}")
        source = source.replace(old, new)
    return dict(form, source=source)

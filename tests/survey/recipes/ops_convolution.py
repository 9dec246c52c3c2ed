"""Convolutions, pooling and sums along rows of NVIDIA/TileGym: examples of its skills."""

from recipe_forms import array, number

SKILL = "skills/tilegym-cutile-python/examples/"


def recipe(file, kernel, dims, args, reference, grid, constants):
    return {"file": SKILL + file, "kernel": kernel, "dims": dims, "args": args, "reference": reference,
            "launches": [{"grid": grid, "args": [each["name"] for each in args] + constants}]}


# z images of sizes a, b and c, with i channels in each of g groups, which give o channels.
AXES = {2: "bc", 3: "abc"}
DIMS = {"z": {"values": [2], "min": 1, "max": 3}, "a": {"values": [4], "min": 3, "max": 5},
        "b": {"values": [5], "min": 3, "max": 6}, "c": {"values": [6], "min": 3, "max": 7},
        "i": {"values": [3], "min": 1, "max": 4}}
# Along each axis: sizes of the filter, steps, margins of zeros, and distances of a filter's numbers. The host divides
# tiles so that none has channels of two groups.
SHAPE = {"a": (2, 1, 1, 1), "b": (3, 2, 1, 1), "c": (2, 1, 0, 2)}
GROUPS, TILE_M, TILE_N = 2, 16, 8
EACH = 8
CHANNELS = GROUPS * EACH

CONVOLUTION = """
import itertools
import numpy as np
def reference(inputs, dims):
    x, w = (inputs[name].astype(np.float64) for name in ("x", "w"))
    axes, turned, groups = {axes}, {turned}, {groups}
    a, b, c = (dims.get(name) for name in "abc")
    out = np.zeros((x.shape[0], w.shape[0], {sizes}))
    w = w.reshape(out.shape[1], -1, *(size for size, *_ in axes))
    per_in, per_out = w.shape[1], out.shape[1] // groups
    for tap in itertools.product(*(range(size) for size, *_ in axes)):
        for place in itertools.product(*(range(size) for size in out.shape[2:])):
            at = []
            for k, p, (_, step, margin, apart), size in zip(tap, place, axes, x.shape[2:]):
                here = p + margin - k * apart if turned else p * step - margin + k * apart
                if turned and here % step == 0:
                    here //= step
                elif turned:
                    here = -1
                at.append(here if 0 <= here < size else None)
            if None in at:
                continue
            for group in range(groups):
                ins, outs = (slice(group * per, (group + 1) * per) for per in (per_in, per_out))
                out[(slice(None), outs, *place)] += x[(slice(None), ins, *at)] @ w[(outs, slice(None), *tap)].T
    spread = (1, -1) + (1,) * len(axes)
    {end}
    return {{"out": out}}
"""
# What becomes of the sums: the kernels for images add numbers for each channel, and those that turn nothing cut at 0.
ENDS = {(2, 0): 'out = np.maximum(out + inputs["one"].reshape(spread), 0) + inputs["two"].reshape(spread)',
        (3, 0): "out = np.maximum(out, 0)",
        (2, 1): 'out += inputs["one"].reshape(spread) + inputs["two"].reshape(spread)', (3, 1): ""}


def size_out(axis, turned):
    size, step, margin, apart = SHAPE[axis]
    if turned:
        return f"(({axis} - 1) * {step} - {2 * margin} + {apart * (size - 1)} + 1)"
    return f"(({axis} + {2 * margin} - {apart * (size - 1)} - 1) // {step} + 1)"


def convolution(file, kernel, rank, turned):
    """The kernels round both factors to f16, so these are of that type."""
    axes = AXES[rank]
    sizes = [size_out(axis, turned) for axis in axes]
    taps = 1
    for axis in axes:
        taps *= SHAPE[axis][0]
    out = ["z", str(CHANNELS), *sizes]
    args = [array("x", ["z", f"{GROUPS} * i", *axes], kind="f16"),
            array("w", [str(CHANNELS), f"i * {taps}"], kind="f16")]
    args += [array(name, [str(CHANNELS)]) for name in ("one", "two")] * (rank == 2) + [array("out", out, "out")]
    rows = " * ".join(["z", *sizes])
    tiles = f"cdiv({rows}, {TILE_M})"
    columns = [[number(SHAPE[axis][i]) for axis in axes] for i in range(4)]
    constants = ["z", *axes, *(number(size) for size in sizes), number(CHANNELS), *sum(columns, []), "i", number(EACH),
                 number(rows), number(f"i * {taps}"), number(TILE_M), number(TILE_N), number(16),
                 number(f"gcd({tiles}, 8)")]
    reference = CONVOLUTION.format(axes=[SHAPE[axis] for axis in axes], turned=turned, groups=GROUPS,
                                   sizes=", ".join(sizes), end=ENDS[rank, turned])
    used = {name: DIMS[name] for name in "zi" + axes}
    return recipe("convolution/" + file, kernel, used, args, reference, [f"min({tiles} * {CHANNELS // TILE_N}, 9)"],
                  constants)


# Windows of 3 numbers along each axis, of which those beyond the edge count as zeros, or not at all.
POOLS = {"z": {"values": [2], "min": 1, "max": 2}, "n": {"values": [3], "min": 1, "max": 3},
         "a": {"values": [5], "min": 3, "max": 6}, "b": {"values": [6], "min": 3, "max": 7},
         "c": {"values": [4], "min": 3, "max": 7}}
POOL = """
import numpy as np
def reference(inputs, dims):
    x = inputs["x"].astype(np.float64)
    x = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1), (1, 1)], constant_values={edge})
    reach = 2 * {apart} + 1
    view = np.lib.stride_tricks.sliding_window_view(x, (reach,) * 3, axis=(2, 3, 4))
    view = view[:, :, ::2, ::2, ::2, ::{apart}, ::{apart}, ::{apart}]
    return {{"out": view.{function}(axis=(5, 6, 7))}}
"""


def pool(file, kernel, kind, function, edge, apart=None):
    """Blocks of 4 numbers hold the 3 of a window; the kernel for averages knows no distance between them."""
    sizes = [f"(({axis} + 2 - {2 * (apart or 1)} - 1) // 2 + 1)" for axis in "abc"]
    args = [array("x", ["z", "n", "a", "b", "c"], kind=kind), array("out", ["z", "n", *sizes], "out", kind)]
    work = " * ".join(["z * n", *sizes])
    constants = ["n", "a", "b", "c"] + [number(3)] * 3 + [number(4)] * 3 + [number(2)] * 3 + [number(1)] * 3
    constants += [number(apart)] * 3 * bool(apart) + [number(size) for size in sizes] + [number(work)]
    return recipe("pooling/" + file, kernel, POOLS, args, POOL.format(function=function, edge=edge, apart=apart or 1),
                  [f"min({work}, 50)"], constants)


CUMSUM = """
import numpy as np
def reference(inputs, dims):
    return {"out": inputs["x"].astype(np.float64).cumsum(axis=1)}
"""


def cumsum(kind):
    """A row is one tile, so that its length is a power of two."""
    dims = {"m": {"values": [40], "min": 1, "max": 70}, "n": [64, 128]}
    return recipe("scan/cumsum_cumprod_blocking.py", "kernel_cumsum", dims,
                  [array("x", ["m", "n"], kind=kind), array("out", ["m", "n"], "out", kind)], CUMSUM,
                  ["min(cdiv(m, 16), 2)"], [number("cdiv(m, 16)"), number(16), "n"])


KERNELS = [
    convolution("conv2d_with_bias_dilation_groups.py", "conv2d_implicit_gemm_kernel", 2, 0),
    convolution("conv3d_with_bias_dilation_groups.py", "conv3d_implicit_gemm_kernel", 3, 0),
    convolution("conv_transpose_2d.py", "conv_transpose_2d_implicit_gemm_kernel", 2, 1),
    convolution("conv_transpose_3d.py", "conv_transpose_3d_implicit_gemm_kernel", 3, 1),
    pool("avgpool3d.py", "avgpool3d_kernel", "f32", "mean", 0),
    pool("avgpool3d.py", "avgpool3d_kernel", "f16", "mean", 0),
    pool("maxpool3d.py", "maxpool3d_kernel", "f32", "max", "-np.inf", 1),
    pool("maxpool3d.py", "maxpool3d_kernel", "f32", "max", "-np.inf", 2),
    cumsum("f32"), cumsum("f16"),
]

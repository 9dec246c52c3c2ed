"""fast.cu's kernels for lift_public.py: their device part, a plan, and what a skeleton has.

Standard library only. Nothing of the kernels is kept here but the numbers that their own host code
launches them with.
"""

import re

# Number, tile (BM, BN), threads, stages, and what else the kernel's template takes.
KERNELS = [
    (2, 64, 64, 128, 0, "64, 64, 16, 128"),
    (3, 128, 128, 128, 0, "128, false"),
    (4, 128, 128, 256, 5, "256, 5"),
    (5, 128, 256, 384, 3, "384, 3"),
    (6, 128, 256, 384, 3, "384, 3, 128"),
    (7, 128, 256, 384, 3, "384, 3, 128"),
] + [(number, 128, 256, 384, 3, "384, 3, 128, 2, 1") for number in range(8, 13)]

DEPTH = 64
SPACE = 128  # Tiles that the order of a cluster may have.
BLOCKS = 128  # Of the kernels that take one tile after the other.

# What the file that includes all kernels declares before them.
BEFORE = ("#include <cuda.h>\n#include <cuda/barrier>\n#include <cuda_bf16.h>\n#include <cassert>\n"
          "typedef __nv_bfloat16 bf16;\n#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))\n")

ORCHESTRATION = [
    ("roles", r"self\.bind\("),
    ("loops", r"^\s+(?:for|while) "),
    ("copies", r"copy_async\("),
    ("products", r"gemm_async\("),
    ("barriers", r"= barrier\("),
    ("arrivals", r"\.arrive(?:_expect_tx)?\("),
    ("waits", r"\.wait\("),
]


def code_only(text):
    """The text with comments as blanks, so that braces in them do not count."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found[0]), text,
                  flags=re.S)


def pieces(text):
    """The declarations of a namespace, each as it stands: up to a `;`, or a body's end."""
    code, start, depth, has_body = code_only(text), 0, 0, False
    for at, char in enumerate(code):
        depth += (char == "{") - (char == "}")
        has_body = has_body or char == "{"
        ends = char == ";" or (char == "}" and not re.match(r"\s*;", code[at + 1:]))
        directive = char == "\n" and code[start:at].strip().startswith("#")
        if depth == 0 and (ends or directive):
            yield text[start:at + 1], has_body
            start, has_body = at + 1, False
    yield text[start:], False


def device_part(source):
    """The file without host functions; every line stays where it was."""
    opened = re.search(r"namespace \w+ \{", source)
    last = source.rindex("}")
    kept = source[:opened.end()]
    for piece, has_body in pieces(source[opened.end():last]):
        code = code_only(piece)
        head = code.split("{")[0]
        is_type = re.search(r"\b(struct|class|enum)\b[^()]*$", head)
        on_host = has_body and not is_type and not re.search("__device__|__global__", head)
        kept += "\n" * piece.count("\n") if on_host else piece
    # Of the host's library a kernel takes only this, which changes nothing; and clang wants an
    # alignment by __align__ after __shared__, and %% before a special register, where nvcc takes
    # both.
    kept = re.sub(r"\bstd::move\(", "(", kept + "}\n")
    kept = re.sub(r"(?<!%)%(?=cluster)", "%%", kept)
    return re.sub(r"__shared__ alignas\(", "__shared__ __align__(", kept)


def hilbert(side):
    """The cells of a square in the order of Hilbert's curve, from (0, 0) on. A power of 2."""
    if side == 1:
        return [(0, 0)]
    half = side // 2
    part = hilbert(half)
    return ([(y, x) for x, y in part] + [(x, y + half) for x, y in part] +
            [(x + half, y + half) for x, y in part] +
            [(side - 1 - y, half - 1 - x) for x, y in part])


def tile_order(rows, cols):
    """For each cluster its tiles, as 65536 * row + column: what the host puts into memory."""
    clusters = BLOCKS // 2
    side = 1 << (max(rows, cols) - 1).bit_length()
    tiles = [65536 * x + y for x, y in hilbert(side) if x < rows and y < cols]
    return [tiles[first::clusters] for first in range(clusters)]


def order_fill(rows, cols):
    """The order as a fill: numbers of tiles, many of them in one integer, picked by the element."""
    order = tile_order(rows, cols)
    turns = max(len(own) for own in order)
    none = rows * cols  # A cluster that has no tile in the last turn.
    bits = none.bit_length()
    codes = [own[turn] // 65536 * cols + own[turn] % 65536 if turn < len(own) else none
             for own in order for turn in range(turns)]
    each = 60 // bits
    packed = [sum(code << bits * at for at, code in enumerate(codes[first:first + each]))
              for first in range(0, len(codes), each)]
    number = f"(i // {SPACE} * {turns} + i % {SPACE})"
    words = "".join(f"{word} if {number} < {each * (at + 1)} else "
                    for at, word in enumerate(packed[:-1])) + str(packed[-1])
    code = f"(({words}) // 2 ** ({bits} * ({number} % {each})) % {2 ** bits})"
    return {"kind": "computed",
            "value": f"-1 if i % {SPACE} >= {turns} or i // {SPACE} >= {len(order)} or {code} == "
                     f"{none} else {code} // {cols} * 65536 + {code} % {cols}"}


def problem(number=0):
    """@param number  Kernels 11 and 12 read the order of their tiles from memory."""
    tensor = lambda name, shape, role: {"name": name, "type": "bf16", "shape": shape, "role": role}
    source = (
        "#include <cuda_bf16.h>\n__global__ void reference(const __nv_bfloat16* A, const"
        " __nv_bfloat16* B, __nv_bfloat16* C, int m, int n, int k) {\n  int i = blockIdx.x * 32 +"
        " threadIdx.x, j = blockIdx.y;\n  if (i >= m) return;\n  acc_t s = 0;\n  for (int p = 0;"
        " p < k; ++p) s += (acc_t)(float)A[i * k + p] * (acc_t)(float)B[j * k + p];\n"
        "  C[j * m + i] = __nv_bfloat16((float)s);\n}\n"
    )
    return {
        "name": "gemm_bf16_columns",
        "dims": {"m": {"values": [256], "max": 8192}, "n": {"values": [512], "max": 8192},
                 "k": {"values": [256], "max": 8192}},
        "args": [tensor("A", ["m", "k"], "in"), tensor("B", ["n", "k"], "in"),
                 tensor("C", ["n", "m"], "out")] + ([
                     {"name": "order", "type": "i32", "shape": [BLOCKS * SPACE], "role": "in",
                      "fill": order_fill(workload(number)["m"] // 256,
                                         workload(number)["n"] // 256)}]
                     if number >= 11 else []),
        "reference": {
            "kind": "kernel", "language": "cuda", "entry": "reference", "source": source,
            "launches": [{"entry": "reference", "grid": ["cdiv(m, 32)", "n"], "block": ["32"],
                          "args": ["A", "B", "C", "m", "n", "k"]}],
        },
    }


def tensor_map(number, name, rows, swizzle="128B", of=None, depth="k", box=None):
    """From number 7 on a map has the columns in panels of 64, as a dimension of its own."""
    of = of or name
    height = {"A": "m", "B": "n", "C": "n"}[of]
    made = {"name": "tm" + name, "of": of, "box": ["64", str(rows)], "swizzle": swizzle}
    if number >= 7:
        panels = [f"{depth} // 64"] + (["1", "1"] if number == 7 else [])
        made["shape"] = ["64", height] + panels
        made["strides"] = [f"2 * {depth}", "128"] + (["128", "128"] if number == 7 else [])
        made["box"] = (box or ["64", str(rows), "1"]) + (["1", "1"] if number == 7 else [])
    return made


def plan(number, tile_rows, tile_cols, threads, stages, rest):
    maps = [tensor_map(number, "A", tile_rows), tensor_map(number, "B", tile_cols)]
    args = ["m", "n", "k", "C", "tmA", "tmB"]
    if number >= 10:
        panels = "2" if number < 12 else "1"
        width = "72" if number == 12 else "64"
        maps.append(tensor_map(number, "C", tile_cols, "none", depth="m",
                               box=[width, str(tile_cols), panels]))
        args = ["m", "n", "k", "tmC", "tmA", "tmB"]
    if number == 3:
        args.append({"null": True})  # Clocks of a debug build.
    if number >= 11:
        args.append("order")
    ring = max(stages, 1) * (tile_rows + tile_cols) * DEPTH * 2
    out = tile_cols * (tile_rows + (16 if number == 12 else 0)) * 2 if number >= 10 else 0
    grid = str(BLOCKS) if number >= 6 else f"(m // {tile_rows}) * (n // {tile_cols})"
    launch = {"entry": f"M{number}::matmulKernel{number}<{tile_rows}, {tile_cols}, 64, {rest}>",
              "grid": [grid], "block": [str(threads)], "args": args}
    if number != 2:
        launch["shared_bytes"] = str(ring + out + 1024)
    if number >= 8:
        launch["cluster"] = ["2"]
    return {"launches": [launch], "tensor_maps": maps}


def workload(number):
    """The persistent kernels ask for 16 by 8 tiles; of 32 by 8 each cluster gets two."""
    m = 4096 if number >= 11 else 2048 if number >= 6 else 256
    return {"m": m, "n": 2048 if number >= 6 else 512, "k": 256 if number >= 6 else 640}


def kernels(folder):
    for number, rows, cols, threads, stages, rest in KERNELS:
        path = folder / "examples" / "matmul" / f"matmul_{number}.cuh"
        if path.is_file():
            yield f"matmul_{number}", workload(number), {
                "name": f"fast{number}", "language": "cuda",
                "source": device_part(path.read_text()), "macros": BEFORE,
                **plan(number, rows, cols, threads, stages, rest),
            }


def contents(ir):
    """What a skeleton orchestrates, counted in its text."""
    return ", ".join(f"{len(re.findall(pattern, ir, flags=re.M))} {name}"
                     for name, pattern in ORCHESTRATION)

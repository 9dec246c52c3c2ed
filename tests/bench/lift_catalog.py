"""Public kernels beside SGEMM_CUDA and fast.cu that tests/bench/lift_public.sh lifts: where each stands in a copy of its
repository, and how its own host code launches it. Nothing of them is kept here. Standard library only."""

import re

HOST_HEADERS = re.compile(
    r"^\s*#\s*include\s*[<\"](torch/|ATen|cublas|iostream|vector|random|stdio|stdlib|cstdio|cstdlib|algorithm|logging|"
    r"cuda_runtime|cuda\.h|chrono|string|fstream|assert|sys/|unistd|time\.h)", re.M)
FOR_DEVICES = re.compile(
    r"__global__|__device__|DEVICE_INLINE|\bstruct\b|\bclass\b|\benum\b|\bnamespace\b|\bconstexpr\b(?![^{]*\()")


def chunks(source):
    """Its top-level pieces: a line of the preprocessor, or what ends with `;` or with the brace of a body."""
    text = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", source, flags=re.S))
    piece, depth = "", 0
    lines = iter(text.split("\n"))
    for line in lines:
        if depth == 0 and not piece.strip() and line.lstrip().startswith("#"):
            while line.endswith("\\"):
                line += "\n" + next(lines)
            yield line
            continue
        for letter in line:
            piece += letter
            depth += (letter == "{") - (letter == "}")
            if depth == 0 and letter in ";}":
                yield piece
                piece = ""
        piece += "\n"


def device_part(path):
    """The file with its own headers in place, without functions and headers that only the host uses."""
    kept = []
    for piece in chunks(path.read_text(errors="replace")):
        own = re.match(r'\s*#\s*include\s*"([^"]+)"', piece)
        header = own and next((p for p in (path.parent / own[1], path.parent.parent / "common" / own[1],
                                           path.parent.parent.parent / own[1],
                                           path.parent.parent.parent / "utils" / own[1]) if p.is_file()), None)
        if header:
            kept.append(device_part(header))
        elif HOST_HEADERS.search(piece) or piece.strip() == "#pragma once":
            continue
        elif "torch::" in piece and not piece.lstrip().startswith("#"):
            continue
        elif piece.lstrip().startswith("#") or "{" not in piece or FOR_DEVICES.search(piece.split("{")[0]):
            kept.append(piece)
    return "\n".join(kept)


def tensor(name, dtype, shape, role):
    return {"name": name, "type": dtype, "shape": shape, "role": role}


def reference(source, grid, block, args):
    return {"kind": "kernel", "language": "cuda", "entry": "reference", "source": source,
            "launches": [{"entry": "reference", "grid": grid, "block": block, "args": args}]}


def product(dtype, columns, out=None, k=256):
    """C = A B, or A B^T where `columns`: B lies by columns then, as [n, k]."""
    kind = {"f32": "float", "f16": "half", "bf16": "nv_bfloat16"}[dtype]
    out_kind = {"f32": "float", "f16": "half", "bf16": "nv_bfloat16"}[out or dtype]
    at = "b[j * k + p]" if columns else "b[p * n + j]"
    plain = (
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        f"__global__ void reference(const {kind}* a, const {kind}* b, {out_kind}* c, int m, int n, int k) {{\n"
        "  const int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y;\n  if (j >= n) return;\n  acc_t s = 0;\n"
        f"  for (int p = 0; p < k; ++p) s += (acc_t)(float)a[i * k + p] * (acc_t)(float){at};\n"
        f"  c[i * n + j] = ({out_kind})(float)s;\n}}\n")
    return {
        "name": f"product_{dtype}_{'tn' if columns else 'nn'}",
        "dims": {"m": [256], "n": [256], "k": [k]},
        "args": [tensor("A", dtype, ["m", "k"], "in"),
                 tensor("B", dtype, ["n", "k"] if columns else ["k", "n"], "in"),
                 tensor("C", out or dtype, ["m", "n"], "out")],
        "reference": reference(plain, ["cdiv(n, 32)", "m"], ["32"], ["A", "B", "C", "m", "n", "k"]),
    }


def attention(dtype, d, heads="h"):
    """O = softmax(Q K^T / sqrt(d)) V for each of b * h heads."""
    kind = {"f32": "float", "f16": "half", "bf16": "nv_bfloat16"}[dtype]
    plain = (
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        f"__global__ void reference(const {kind}* q, const {kind}* k, const {kind}* v, {kind}* o, int s) {{\n"
        f"  const int x = threadIdx.x; const long long first = (long long)blockIdx.y * s * {d};\n"
        f"  const {kind}* row = q + first + blockIdx.x * {d};\n  acc_t most = -INFINITY, total = 0, sum = 0;\n"
        "  for (int j = 0; j < s; ++j) {\n    acc_t dot = 0;\n"
        f"    for (int i = 0; i < {d}; ++i) dot += (acc_t)(float)row[i] * (acc_t)(float)k[first + j * {d} + i];\n"
        f"    dot /= sqrt((acc_t){d});\n    const acc_t next = dot > most ? dot : most;\n"
        "    const acc_t fix = exp(most - next), p = exp(dot - next);\n    total = total * fix + p;\n"
        f"    sum = sum * fix + p * (acc_t)(float)v[first + j * {d} + x];\n    most = next;\n  }}\n"
        f"  o[first + blockIdx.x * {d} + x] = ({kind})(float)(sum / total);\n}}\n")
    shape = ["b", "h", "s", str(d)]
    return {
        "name": f"attention_{dtype}_{d}",
        "dims": {"b": [1], "h": [2], "s": [256]},
        "args": [tensor(name, dtype, shape, "out" if name == "O" else "in") for name in "QKVO"],
        "reference": reference(plain, ["s", "b * h"], [str(d)], ["Q", "K", "V", "O", "s"]),
    }


def launch(entry, grid, block, args, shared=None):
    made = {"entry": entry, "grid": grid, "block": block, "args": args}
    if shared:
        made["shared_bytes"] = shared
    return made


MNK = ["A", "B", "C", "m", "n", "k"]


def leet_sgemm():
    rows = [
        ("sgemm.cu", "sgemm_naive_f32_kernel", 32, ["32", "32"]),
        ("sgemm.cu", "sgemm_sliced_k_f32_kernel<32, 32, 32>", 32, ["32", "32"]),
        ("sgemm.cu", "sgemm_t_8x8_sliced_k_f32x4_kernel<128, 128, 8, 8, 8>", 128, ["16", "16"]),
        ("sgemm.cu", "sgemm_t_8x8_sliced_k_f32x4_bcf_kernel<128, 128, 8, 8, 8, 0>", 128, ["16", "16"]),
        ("sgemm.cu", "sgemm_t_8x8_sliced_k_f32x4_bcf_dbuf_kernel<128, 128, 8, 8, 8, 0>", 128, ["16", "16"]),
        ("sgemm_async.cu", "sgemm_t_8x8_sliced_k16_f32x4_bcf_dbuf_async_kernel<128, 128, 16, 8, 8, 0>", 128,
         ["16", "16"]),
    ]
    for file, entry, tile, block in rows:
        grid = [f"cdiv(n, {tile})", f"cdiv(m, {tile})"]
        yield f"kernels/sgemm/{file}", product("f32", False), launch(entry, grid, block, MNK)


def leet_hgemm():
    naive, wmma, mma = "naive/hgemm.cu", "wmma/hgemm_wmma.cu", "mma/basic/hgemm_mma.cu"
    rows = [
        (naive, "hgemm_naive_f16_kernel", 32, 32, ["32", "32"]),
        (naive, "hgemm_sliced_k_f16_kernel<32, 32, 32>", 32, 32, ["32", "32"]),
        (naive, "hgemm_t_8x8_sliced_k_f16x4_kernel<128, 128, 8, 8, 8>", 128, 128, ["16", "16"]),
        (naive, "hgemm_t_8x8_sliced_k_f16x8_pack_bcf_kernel<128, 128, 8, 8, 8, 8>", 128, 128, ["16", "16"]),
        (wmma, "hgemm_wmma_m16n16k16_naive_kernel<16, 16, 16>", 16, 16, ["32"]),
        (wmma, "hgemm_wmma_m16n16k16_mma4x2_kernel<16, 16, 16, 4, 2>", 64, 32, ["256"]),
        (wmma, "hgemm_wmma_m16n16k16_mma4x2_warp2x4_kernel<16, 16, 16, 4, 2, 2, 4>", 128, 128, ["256"]),
        (mma, "hgemm_mma_m16n8k16_naive_kernel<16, 8, 16>", 16, 8, ["32"]),
        (mma, "hgemm_mma_m16n8k16_mma2x4_warp4x4_kernel<16, 8, 16, 2, 4, 4, 4, 0, 0>", 128, 128, ["256"]),
    ]
    for file, entry, tile_m, tile_n, block in rows:
        grid = [f"cdiv(n, {tile_n})", f"cdiv(m, {tile_m})"]
        yield f"kernels/hgemm/{file}", product("f16", False), launch(entry, grid, block, MNK)


def leet_attention():
    pad, d, rows, keys = 8, 64, 64, 64
    common = f"{d}, 16, 8, 16, 4, 1, 4, 1, 1, 8, 1, 8"
    shared = {
        "split_q": f"{2 * (rows + 2 * keys + keys) * (d + pad)}",
        "split_q_shared_kv": f"{2 * (rows + 2 * keys) * (d + pad)}",
        "split_q_shared_qkv": f"{2 * rows * (d + pad) * 2}",
    }
    for file, entry, more in [
            ("split_q", "split_q", ", 2, 8"),
            ("share_kv", "split_q_shared_kv", ""), ("share_kv_F32F16F16F32", "split_q_shared_kv_acc_f32", ""),
            ("share_qkv", "split_q_shared_qkv", ""), ("share_qkv_F32F16F16F32", "split_q_shared_qkv_acc_f32", ""),
            ("tiling_qk", "split_q_tiling_qk", ""), ("tiling_qkv", "split_q_tiling_qkv", "")]:
        path = f"kernels/flash-attn/mma/basic/flash_attn_mma_{file}.cu"
        yield path, attention("f16", d), {
            "pattern": f"flash_attn_mma_stages_{entry}_kernel", "common": common, "more": more,
            "launch": launch("", [f"cdiv(s, {rows})", "b * h"], ["128"], ["Q", "K", "V", "O", "s", "h"],
                             shared.get(entry, "49152"))}


def bruce():
    rows = []
    for kind, tile in (("mma", 8), ("wmma", 16)):
        rows.append((f"{kind}/{kind}_naive", ["cdiv(n, %d)" % tile, "cdiv(m, 16)"], ["32"], None))
    large = ["16", "cdiv(m, 256)", "cdiv(n, 2048)"]
    for name in ("mma/mma_base", "wmma/wmma_base", "wmma/wmma_padding", "mma/mma_permuted", "mma/mma_async",
                 "wmma/wmma_async", "mma/mma_async_pg2s", "mma/mma_async_stage2", "mma/mma_async_stage3"):
        stages = {"stage2": 2, "stage3": 3, "pg2s": 2}.get(name.rsplit("_", 1)[-1], 1)
        rows.append((name, large, ["256"], str(max(384 * 40 * 2 * stages, 256 * 136 * 2))))
    for name, grid, block, shared in rows:
        entry = "".join(word.capitalize() for word in name.split("/")[1].split("_"))
        entry = entry[0].lower() + entry[1:] + "Kernel"
        yield f"src/{name}.cu", product("f16", True), launch(entry, grid, block, MNK, shared)


def nicolas():
    tile = ["cdiv(n, 256)", "cdiv(m, 128)"]
    for number in range(1, 6):
        grid = tile if number < 4 else ["cdiv(cdiv(n, 256), 1)", "cdiv(m, 128)", "1"]
        shared = None if number < 3 else str(2 * 2 * (128 * 40 + 32 * 264))
        yield ("gemm-tc-f16f16-128x256-public/gemm.cu", product("f16", False),
               launch(f"myHGEMMAlignedV{number}", grid, ["256"], MNK, shared))


def learn_products():
    tiles = "128, 128, 64, 2, 2"
    blocks, pair = ["cdiv(m, 128) * cdiv(n, 128)"], 256 * 2
    sm80 = "02b_matmul_sm80/matmul_"
    for version, stride, switches in ((1, 64, "false, false"), (2, 64, "true, false"), (3, 72, "true, false"),
                                      (4, 64, "true, true")):
        yield (sm80 + "v1.cu", product("bf16", True),
               launch(f"matmul_v1_kernel<{tiles}, {stride}, {switches}>", blocks, ["128"], MNK, str(pair * stride)))
    yield sm80 + "v5.cu", product("bf16", True), launch(f"matmul_v5_kernel<{tiles}>", blocks, ["128"], MNK,
                                                        str(pair * 64))
    for group in (0, 8):
        yield (sm80 + "v6.cu", product("bf16", True),
               launch(f"matmul_v6_kernel<{tiles}, 2, {group}>", blocks, ["128"], MNK, str(pair * 64 * 2)))
    yield ("02c_matmul_sm120/matmul_v0.cu", product("bf16", True),
           launch("matmul_v0_kernel<256, 128, 64, 4, 2, 2, nv_bfloat16, nv_bfloat16>",
                  ["cdiv(m, 256) * cdiv(n, 128)"], ["256"], MNK, str((256 + 128) * 64 * 2 * 2)))


def learn_attention():
    for version, rows, keys, tiles in ((1, 128, 64, 2), (2, 64, 64, 2), (3, 64, 32, 4), (4, 64, 32, 4), (5, 64, 64, 3)):
        shared = str(max(rows, keys * tiles) * 128 * 2)
        yield (f"07_attention/attention_v{version}.cu", attention("bf16", 128),
               launch(f"attention_v{version}_kernel<{rows}, {keys}, 128, 4>", [f"b * h * cdiv(s, {rows})"], ["128"],
                      ["Q", "K", "V", "O", {"value": "b * h", "type": "i32"}, "s", "s"], shared))


REPOSITORIES = {
    "CUDA-Learn-Notes": [leet_sgemm, leet_hgemm, leet_attention],
    "cuda_hgemm": [bruce],
    "cuda-tensorcore-hgemm": [nicolas],
    "learn-cuda": [learn_products, learn_attention],
}


def template_arguments(source, entry, common, more):
    """The kernel's own list has more or fewer of the last numbers: two stages, and 8 or 0 elements of padding."""
    found = re.search(r"template\s*<([^>]*)>\s*__global__[^{;]*?" + entry, source)
    names = [part.split("=")[0].split()[-1] for part in found[1].split(",")] if found else []
    given = [value.strip() for value in common.split(",")]
    rest = {"kStage": "2", "kPad": "8", "kPadQ": "8", "kPadK": "8", "kPadV": "8"}
    values = given + [rest.get(name, "0") for name in names[len(given):]] if names else given + more.split(",")[1:]
    return ", ".join(values[:len(names)] if names else values)


def kernels(folder, name):
    """Yields a label, problem and kernel for each kernel of the repository `name` in `folder`."""
    for rows in REPOSITORIES[name]:
        for file, problem, how in rows():
            path = folder / file
            if not path.is_file():
                continue
            source = device_part(path)
            if "pattern" in how:
                arguments = template_arguments(source, how["pattern"], how["common"], how["more"])
                how = {**how["launch"], "entry": f"{how['pattern']}<{arguments}>"}
            label = how["entry"].split("<")[0]
            yield label, problem, {"name": label, "language": "cuda", "source": source, "launches": [how]}

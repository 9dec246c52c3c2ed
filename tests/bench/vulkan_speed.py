"""What tests/bench/vulkan.sh measures on a GPU that runs CUDA, too. Standard library only.

Each example is judged; a copy and the products of the recorded workflows are timed as shaders and as
CUDA kernels, on the same GPU in the same run.
"""

import json
import subprocess

import base

EXAMPLES = base.ROOT / "examples" / "hlsl"
SIZE = 4096
COPIES = 3
# Floats; large enough that the fixed cost of a launch does not count.
COPIED = 1 << 27
PATIENCE_MS = 600000
# Shares of CUDA's speed to reach.
COPY = 0.95
PRODUCT = 0.6

COPY_PROBLEM = {
    "name": "bench_copy",
    "dims": {"n": {"values": [COPIED], "multiple_of": 4}},
    "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
             {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "reference": {
        "kind": "kernel",
        "language": "cuda",
        "entry": "reference",
        "source": "__global__ void reference(const float* x, float* y, int n) {\n"
                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) y[i] = x[i];\n}\n",
        "launches": [{"entry": "reference", "grid": ["cdiv(n, 256)"], "block": ["256"],
                      "args": ["x", "y", "n"]}],
    },
    "bytes": "8*n",
}
LAUNCH = {"entry": "copy", "grid": ["cdiv(n, 1024)"], "block": ["256"], "args": ["x", "y", "n"]}
COPY_KERNELS = {
    "cuda": "__global__ void copy(const float4* x, float4* y, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (i < n / 4) y[i] = x[i];\n}\n",
    "hlsl": "StructuredBuffer<float4> x;\nRWStructuredBuffer<float4> y;\n"
            "[[vk::push_constant]] cbuffer Sizes { uint n; };\n[numthreads(256, 1, 1)]\n"
            "void copy(uint3 id : SV_DispatchThreadID) {\n"
            "  if (id.x < n / 4) { y[id.x] = x[id.x]; }\n}\n",
}


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def examples(server, device):
    """Whether each example is judged as its name says."""
    fine = True
    for file in sorted(EXAMPLES.glob("*/*.json")):
        problem = read(base.ROOT / "examples" / "kernels" / file.parent.name / "problem.json")
        made, _ = server.call("compile_kernel", problem=problem, kernel=read(file), device=device)
        seen = made
        if made["verdict"] == "compiled":
            seen, _ = server.call("validate", kernel_id=made["kernel_id"], device=device)
        wanted = "out_of_bounds" if file.stem.startswith("broken_") else "passed"
        fine = fine and seen["verdict"] == wanted
        print(f"{file.parent.name + '/' + file.stem:<32} {seen['verdict']}"
              + ("" if seen["verdict"] == wanted else f"   WRONG: {seen['summary'][:300]}"), flush=True)
    return fine


def median_us(server, kernel, device, workload):
    seen, _ = server.call("benchmark", kernel_id=kernel, device=device, baseline="none",
                          workloads=[workload], wait_ms=PATIENCE_MS)
    if not seen.get("workloads"):
        raise RuntimeError(f"{kernel} has no time on {device}: {seen['summary']}")
    return seen["workloads"][0]["median_us"]


def shown(what, shader_us, cuda_us, share):
    reached = cuda_us / shader_us
    print(f"{what:<32} shader {shader_us:9.1f} us, CUDA {cuda_us:9.1f} us: {reached:.3f} of its speed   "
          f">= {share}{'' if reached >= share else '   MISSED'}", flush=True)


def copies(server, shaders, cuda):
    workload = {"n": COPIED}
    kernels = {}
    for language, device in (("hlsl", shaders), ("cuda", cuda)):
        kernel = {"language": language, "source": COPY_KERNELS[language], "launches": [LAUNCH]}
        made, _ = server.call("compile_kernel", problem=COPY_PROBLEM, kernel=kernel, device=device)
        kernels[language] = made["kernel_id"]
    for _ in range(COPIES):
        shown(f"copy of {COPIED >> 18} MiB", median_us(server, kernels["hlsl"], shaders, workload),
              median_us(server, kernels["cuda"], cuda, workload), COPY)


def replayed(executable, data, name, device):
    """The ref of the kernel that a recorded workflow ends with."""
    folder = base.ROOT / "examples" / "workflows" / name
    done = subprocess.run([executable, "replay", folder, "--quick", "--data", data, "--device", device],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name} on {device}: {done.stdout}{done.stderr}")
    return f"{name}@replay"


def products(server, executable, data, shaders, cuda):
    workload = dict.fromkeys("mnk", SIZE)
    shader = replayed(executable, data, "matmul-hlsl", shaders)
    kernel = replayed(executable, data, "matmul-f32", cuda)
    shown(f"product of f32, {SIZE}", median_us(server, shader, shaders, workload),
          median_us(server, kernel, cuda, workload), PRODUCT)

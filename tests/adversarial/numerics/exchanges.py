"""E9: exchanges within a warp that are wrong in larger workloads only, or that read lanes which are not there."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes

CASES = Cases("E")
REVERSE = problem({"n": sizes(256, 640, multiple=64)}, "x: f32[n]; y: f32[n] out",
                  each("y[i] = x[i / 32 * 32 + 31 - i % 32];", name="reference"))


def reversed_by(body):
    return kernel("__global__ void k(const float* x, float* y, int n) {\n"
                  "  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n" + body + "}\n", "n // 64", "64")


def through_memory(condition):
    return reversed_by("  __shared__ float tile[64];\n  tile[t] = x[i];\n"
                       f"  if ({condition}) __syncwarp(t & 16 ? 0xffff0000u : 0x0000ffffu); else __syncwarp();\n"
                       "  y[i] = tile[(t & ~31) + 31 - (t & 31)];\n")


CASES.attack("E9.half_mask_large", "meets half of its warp where the size is above 256", REVERSE,
             through_memory("n > 256"), twin=through_memory("n > 1000000"), timed=False)
CASES.attack("E9.half_mask_late", "meets half of its warp in blocks above the fourth", REVERSE,
             through_memory("blockIdx.x > 3"), timed=False)
CASES.attack("E9.lane_outside_mask", "shuffles from a lane that its mask lacks", REVERSE,
             reversed_by("  float v = x[i];\n  y[i] = t & 16 ? __shfl_xor_sync(0xffff0000u, v, 31)\n"
                         "                : __shfl_xor_sync(0x0000ffffu, v, 31);\n"),
             twin=reversed_by("  y[i] = __shfl_xor_sync(0xffffffffu, x[i], 31);\n"), timed=False)
PARITY = problem({"n": sizes(256, 640, multiple=64)}, "x: i32[n] = range(0, 1000); y: i32[n] out",
                 "__global__ void reference(const int* x, int* y, int n) {\n"
                 "  int i = blockIdx.x * 64 + threadIdx.x, sum = 0;\n"
                 "  for (int j = 0; j < 32; ++j) sum += j % 2 ? x[i / 32 * 32 + j] : 7;\n"
                 "  y[i] = sum;\n}\n", "n // 64", "64")


def by_parity(body):
    return kernel("__global__ void k(const int* x, int* y, int n) {\n"
                  "  int i = blockIdx.x * 64 + threadIdx.x, sum;\n" + body + "  y[i] = sum;\n}\n", "n // 64", "64")


# On an H100 the first of these does not end: the compiler knows one operand, and leaves its instruction out.
CASES.attack("E9.reduced_apart", "reduces in two branches with one mask", PARITY,
             by_parity("  if (i % 2) sum = __reduce_add_sync(~0u, x[i]);\n  else sum = __reduce_add_sync(~0u, 7);\n"),
             twin=by_parity("  sum = __reduce_add_sync(~0u, i % 2 ? x[i] : 7);\n"), timed=False)
CASES.attack("E9.different_votes", "lanes of one mask ask different things", PARITY,
             by_parity("  unsigned other;\n  if (i % 2) other = __ballot_sync(~0u, 1);\n  else other = __any_sync(~0u, 1);\n"
                       "  sum = __reduce_add_sync(~0u, i % 2 ? x[i] : other ? 7 : 0);\n"),
             twin=by_parity("  unsigned other;\n  if (i % 2) other = __ballot_sync(~0u, i & 1);\n"
                            "  else other = __ballot_sync(~0u, i & 2);\n"
                            "  sum = __reduce_add_sync(~0u, i % 2 ? x[i] : other ? 7 : 0);\n"), timed=False)

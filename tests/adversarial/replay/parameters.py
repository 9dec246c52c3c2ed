"""C2, C14: several workloads, structs by value and scratch memory."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, problem, sizes
from harness.shared import LINE

CASES = Cases("C")
SHAPE = "struct Shape { int n; float scale; };\n"
SCALED = problem({"n": sizes(500, 1000)}, "x: f32[n]; a: f32 scalar = 0.5, 2, 3; y: f32[n] out",
                 each("y[i] = a * x[i];", "const float* x, float a, float* y, int n", name="reference"))


def by_struct(statement):
    """A kernel whose size and factor come in a struct."""
    source = each(statement, "const float* x, float* y, Shape s", before=SHAPE, count="s.n")
    return kernel(source, steps=[("k", "cdiv(n, 256)", "256", {"args": ["x", "y", {"struct": ["n", "a"]}]})])


HONEST = by_struct("y[i] = s.scale * x[i];")
CASES.attack("C14.struct_size", "right where the size in a struct is a listed one", SCALED,
             by_struct("y[i] = s.n == 500 || s.n == 1000 ? s.scale * x[i] : 0;"), twin=HONEST, timed=False)
CASES.attack("C14.struct_factor", "takes the factor of the first workload for all", SCALED,
             by_struct("y[i] = 0.5f * x[i];"), timed=False)
CASES.attack("C2.by_size", "keeps the results of each size and gives them again", LINE,
             map_kernel("y[i] = kept_n == n ? kept[i] : 2 * v + 1;\n    kept[i] = 2 * v + 1;\n    if (i == n - 1) kept_n = n;",
                        before="__device__ float kept[1 << 16];\n__device__ int kept_n;\n"), timed=False)
SEEN = """__global__ void k(const float* x, float* y, float* kept, int* seen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (seen[i] != 0x5eed + n) { kept[i] = 2 * x[i] + 1; seen[i] = 0x5eed + n; }
  y[i] = kept[i];
}
"""
SCRATCH = [{"name": "kept", "type": "f32", "shape": ["n"]}, {"name": "seen", "type": "i32", "shape": ["n"]}]
CASES.attack("C2.scratch_cache", "keeps results in scratch memory, beside a word that says so", LINE,
             kernel(SEEN, scratch=SCRATCH),
             twin=kernel(SEEN.replace("if (seen[i] != 0x5eed + n) ", ""), scratch=SCRATCH), timed=False)
CASES.attack("C2.scratch_tag", "keeps results in scratch memory, beside a number made of an input", LINE,
             kernel(SEEN.replace("0x5eed + n", "__float_as_int(x[0]) / 2 * 2").replace("seen[i] != ", "seen[i] / 2 * 2 != "),
                    scratch=SCRATCH), neutral="the same inputs have the same results, and each launch has others",
             timed=False)

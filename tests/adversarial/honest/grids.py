"""Stencils, convolutions, pooling and grids that change in place."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes

CASES = Cases("honest")
LINE = {"n": sizes(500, 1000)}
PLANE = {"h": sizes(20), "w": sizes(30, 40)}
FLAT = "const float* x, float* y, int h, int w"


def line(kind, statement, *, dims=None, reference=None, **ways):
    """A kernel of one element each; `reference` is its statement with sums in double precision."""
    form = problem(dims or LINE, "x: f32[n]; y: f32[n] out", each(reference or statement, name="reference"))
    CASES.honest(kind, form, plain=kernel(each(statement)), **ways)


def plane(kind, statement, reference, **ways):
    """The same for the cells of h x w: r and c are row and column of cell i."""
    head = "int r = i / w, c = i % w;\n    "
    form = problem(PLANE, "x: f32[h, w]; y: f32[h, w] out",
                   each(head + reference, FLAT, name="reference", count="h * w"), "cdiv(h * w, 256)")
    CASES.honest(kind, form, plain=kernel(each(head + statement, FLAT, count="h * w"), "cdiv(h * w, 256)"),
                 **ways)


HALO = """__global__ void k(const float* x, float* y, int n) {
  __shared__ float s[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = i < n ? x[i] : 0;
  if (t == 0) s[0] = i > 0 ? x[i - 1] : 0;
  if (t == 63) s[65] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) y[i] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}
"""
BLUR = "float l = i > 0 ? x[i - 1] : 0, u = i + 1 < n ? x[i + 1] : 0;\n    y[i] = "
line("blur", BLUR + "0.25f * l + 0.5f * x[i] + 0.25f * u;",
     reference=BLUR + "(float)(0.25 * (acc_t)l + 0.5 * (acc_t)x[i] + 0.25 * (acc_t)u);",
     halo=kernel(HALO, "cdiv(n, 64)", "64"))
line("difference", "y[i] = i > 0 ? x[i] - x[i - 1] : x[i];")
line("reverse", "y[i] = x[n - 1 - i];", two_ends=kernel(
    each("y[i] = x[n - 1 - i];\n    y[n - 1 - i] = x[i];", count="(n + 1) / 2")))
line("rotate", "y[(i + 7) % n] = x[i];", pull=kernel(each("y[i] = x[(i + n - 7 % n) % n];")))
line("block_sort_pairs", "y[i] = (i ^ 1) >= n ? x[i] : i % 2 ? fmaxf(x[i], x[i - 1]) : fminf(x[i], x[i + 1]);")
line("window_max",
     "float best = x[i];\n    for (int j = i; j < n && j < i + 5; ++j) best = fmaxf(best, x[j]);\n"
     "    y[i] = best;")

CELL = "r == 0 || c == 0 || r == h - 1 || c == w - 1 ? x[i] : "
plane("laplace", "y[i] = " + CELL + "0.25f * (x[i - 1] + x[i + 1] + x[i - w] + x[i + w]);",
      "y[i] = " + CELL + "(float)(0.25 * ((acc_t)x[i - 1] + x[i + 1] + x[i - w] + x[i + w]));",
      square=kernel("""__global__ void k(const float* x, float* y, int h, int w) {
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 4 + threadIdx.y, i = r * w + c;
  if (r >= h || c >= w) return;
  bool edge = r == 0 || c == 0 || r == h - 1 || c == w - 1;
  y[i] = edge ? x[i] : (x[i - 1] + x[i + 1] + x[i - w] + x[i + w]) / 4;
}
""", ["cdiv(w, 16)", "cdiv(h, 4)"], ["16", "4"]))
plane("flip", "y[i] = x[r * w + w - 1 - c];", "y[i] = x[r * w + w - 1 - c];")
plane("triangle", "y[i] = c <= r ? x[i] : 0;", "y[i] = c <= r ? x[i] : 0;")

CONVOLUTION = """__global__ void {}(const float* x, const float* f, float* y, int h, int w) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= h * w) return;
  int r = i / w, c = i % w;
  {} sum = 0;
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      if (r + a >= 0 && r + a < h && c + b >= 0 && c + b < w)
        sum += ({})x[(r + a) * w + c + b] * f[(a + 1) * 3 + b + 1];
  y[i] = sum;
}}
"""
CONSTANT = CONVOLUTION.format("k", "float", "float").replace("const float* f, ", "").replace(" * f[",
                                                                                             " * filter[")
CASES.honest("convolution", problem(PLANE, "x: f32[h, w]; f: f32[3, 3]; y: f32[h, w] out",
                                    CONVOLUTION.format("reference", "acc_t", "acc_t"), "cdiv(h * w, 256)",
                                    flops="18*h*w"),
             plain=kernel(CONVOLUTION.format("k", "float", "float"), "cdiv(h * w, 256)"),
             constant=kernel("__constant__ float filter[9];\n" + CONSTANT, "cdiv(h * w, 256)",
                             symbols=[{"name": "filter", "of": "f"}]))

POOL = "__global__ void k(const float* x, float* y, int h, int w) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" \
       "  if (i >= h * w) return;\n  const float* p = x + i / w * 4 * w + i % w * 2;\n  y[i] = TERM;\n}\n"
POOLED = "x: f32[2*h, 2*w]; y: f32[h, w] out"
MAX = POOL.replace("TERM", "fmaxf(fmaxf(p[0], p[1]), fmaxf(p[2 * w], p[2 * w + 1]))")
CASES.honest("max_pool", problem(PLANE, POOLED, MAX, "cdiv(h * w, 256)"),
             plain=kernel(MAX, "cdiv(h * w, 256)"))
CASES.honest("average_pool", problem(PLANE, POOLED, POOL.replace(
    "TERM", "(float)(((acc_t)p[0] + p[1] + p[2 * w] + p[2 * w + 1]) / 4)"), "cdiv(h * w, 256)"),
             plain=kernel(POOL.replace("TERM", "0.25f * (p[0] + p[1] + p[2 * w] + p[2 * w + 1])"),
                          "cdiv(h * w, 256)"))
UP = each("y[i] = x[i / (2 * w) / 2 * w + i % (2 * w) / 2];", FLAT, count="4 * h * w")
CASES.honest("upsample",
             problem(PLANE, "x: f32[h, w]; y: f32[2*h, 2*w] out", UP.replace(" k(", " reference("),
                     "cdiv(4 * h * w, 256)"),
             nearest=kernel(UP, "cdiv(4 * h * w, 256)"))

SCALE = "float* y, float s, int n"
SCALED = problem(LINE, "y: f32[n] inout = normal; s: f32 scalar = 0.5, 3",
                 each("y[i] = (float)((acc_t)y[i] * s);", SCALE, name="reference"))
CASES.honest("scale_in_place", SCALED, timed=True, plain=kernel(each("y[i] *= s;", SCALE)),
             grid_stride=kernel("__global__ void k(float* y, float s, int n) {\n"
                                "  for (int i = threadIdx.x; i < n; i += 128) y[i] = s * y[i];\n}\n", "1",
                                "128"))
AXPY = "const float* x, float* y, int n"
CASES.honest("axpy_in_place",
             problem(LINE, "x: f32[n]; y: f32[n] inout = normal",
                     each("y[i] = (float)((acc_t)y[i] + 2 * (acc_t)x[i]);", AXPY, name="reference")),
             plain=kernel(each("y[i] += 2 * x[i];", AXPY)),
             fused=kernel(each("y[i] = fmaf(2, x[i], y[i]);", AXPY)))

STEP = """__global__ void step(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i == 0 || i == n - 1 ? from[i] : 0.5f * (from[i - 1] + from[i + 1]);
}
"""
TWICE = """__global__ void reference(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  acc_t v[3];
  for (int j = -1; j <= 1; ++j) {
    int at = i + j < 0 ? 0 : i + j >= n ? n - 1 : i + j;
    v[j + 1] = at == 0 || at == n - 1 ? (acc_t)x[at] : 0.5 * ((acc_t)x[at - 1] + x[at + 1]);
  }
  y[i] = i == 0 || i == n - 1 ? x[i] : (float)(0.5 * (v[0] + v[2]));
}
"""
CASES.honest("two_steps", problem(LINE, "x: f32[n]; y: f32[n] out", TWICE), launches=kernel(
    STEP, steps=[("step", "cdiv(n, 256)", "256", {"args": ["x", "between", "n"]}),
                 ("step", "cdiv(n, 256)", "256", {"args": ["between", "y", "n"]})],
    scratch=[{"name": "between", "type": "f32", "shape": ["n"]}]))

# Sizes far beyond 2^31 by a grid that stops growing: its last block need not write the last element.
FAR = "const float* x, float* y, long long n"
CASES.honest("capped_grid",
             problem({"n": sizes(300000, most=2500000000)}, "x: f32[n]; y: f32[n] out",
                     each("y[i] = 2 * x[i];", FAR, name="reference")),
             loop=kernel("__global__ void k(const float* x, float* y, long long n) {\n"
                         "  long long step = (long long)gridDim.x * blockDim.x;\n"
                         "  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)\n"
                         "    y[i] = 2 * x[i];\n}\n", "min(cdiv(n, 256), 1320)"))

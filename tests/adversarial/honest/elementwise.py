"""Functions of one element. A row: the kind, v's function in double, its fill, and ways to write it in float.

A third entry after the fill bounds the inputs. `v` is the element in float.
"""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, map_problem, problem, sizes

CASES = Cases("honest")
FAST = ["--use_fast_math"]

FUNCTIONS = [
    ("exp", "exp(v)", ("normal",),
     {"expf": "expf(v)", "exp2f": "exp2f(1.44269504f * v)", "double": "(float)exp((double)v)"}),
    ("tanh", "tanh(v)", ("normal",),
     {"tanhf": "tanhf(v)", "by_exp": "v < 0 ? -(1 - 2 / (expf(-2 * v) + 1)) : 1 - 2 / (expf(2 * v) + 1)"}),
    ("sigmoid", "1 / (1 + exp(-v))", ("normal",),
     {"plain": "1 / (1 + expf(-v))", "by_tanh": "0.5f + 0.5f * tanhf(0.5f * v)"}),
    ("silu", "v / (1 + exp(-v))", ("normal",),
     {"plain": "v / (1 + expf(-v))", "product": "v * (1 / (1 + expf(-v)))"}),
    ("gelu_erf", "0.5 * v * (1 + erf(v * 0.70710678118654752))", ("normal",),
     {"erff": "0.5f * v * (1 + erff(v * 0.70710678f))", "erfcf": "0.5f * v * erfcf(-v * 0.70710678f)"}),
    ("gelu_tanh", "0.5 * v * (1 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)))", ("normal",),
     {"tanhf": "0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)))",
      "sigmoid": "v / (1 + expf(-1.59576912f * (v + 0.044715f * v * v * v)))"}),
    ("gamma", "tgamma(v)", ("uniform(0.5, 10)",), {"tgammaf": "tgammaf(v)"}),
    ("square", "pow(v, 2.0)", ("uniform(0.5, 10)",), {"exp2": "exp2f(2 * log2f(v))", "product": "v * v"}),
    ("root_of_square", "sqrt(v * v)", ("normal",), {"rsqrt": "v == 0 ? 0 : v * v * rsqrtf(v * v)", "fabsf": "fabsf(v)"}),
    ("relu", "v > 0 ? v : (acc_t)0", ("normal",), {"select": "v > 0 ? v : 0", "fmaxf": "fmaxf(v, 0.0f)"}),
    ("leaky_relu", "v > 0 ? v : 0.01 * v", ("normal",),
     {"select": "v > 0 ? v : 0.01f * v", "fmaxf": "fmaxf(v, 0.01f * v)"}),
    ("elu", "v > 0 ? v : exp(v) - 1", ("normal",),
     {"expm1f": "v > 0 ? v : expm1f(v)", "expf": "v > 0 ? v : expf(v) - 1"}),
    ("softplus", "log(1 + exp(v))", ("normal",), {"log1pf": "v > 20 ? v : log1pf(expf(v))",
                                                  "stable": "fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)))",
                                                  "usual": "logf(1 + expf(v))"}),
    ("erf", "erf(v)", ("normal",), {"erff": "erff(v)", "complement": "1 - erfcf(v)"}),
    ("erfc", "erfc(v)", ("normal",), {"erfcf": "erfcf(v)", "complement": "1 - erff(v)"}),
    ("log", "log(v)", ("uniform(0.1, 10)", [0.1, 10]), {"logf": "logf(v)", "log2f": "0.69314718f * log2f(v)"}),
    ("log_undomained", "log(v)", ("uniform(0.1, 10)",), {"logf": "logf(v)"}),
    ("log1p", "log1p(v)", ("uniform(0, 3)", [0, 3]), {"log1pf": "log1pf(v)"}),
    ("pow", "pow(v, 2.5)", ("uniform(0.1, 10)", [0.1, 10]),
     {"powf": "powf(v, 2.5f)", "sqrtf": "v * v * sqrtf(v)"}),
    ("sqrt", "sqrt(v)", ("uniform(0, 9)", [0, 9]),
     {"sqrtf": "sqrtf(v)", "rsqrtf": "v > 0 ? v * rsqrtf(v) : 0"}),
    ("reciprocal", "1 / v", ("uniform(0.5, 4)", [0.5, 4]), {"division": "1 / v", "intrinsic": "__frcp_rn(v)"}),
    ("reciprocal_undomained", "1 / v", ("uniform(0.5, 4)",), {"division": "1 / v"}),
    ("sin", "sin(v)", ("normal",), {"sinf": "sinf(v)", "sincosf": "0; float c; sincosf(v, &y[i], &c)"}),
    ("sin_less_v", "sin(v) - v", ("normal",), {"sinf": "sinf(v) - v"}),
    ("sin_fast", "sin(1000 * v)", ("normal",), {"sinf": "sinf(1000 * v)"}),
    ("polynomial", "1 + v * (2 + v * (3 + v * 4))", ("normal",), {"horner": "1 + v * (2 + v * (3 + v * 4))",
                                                                  "fmaf": "fmaf(fmaf(fmaf(4, v, 3), v, 2), v, 1)",
                                                                  "powers": "1 + 2 * v + 3 * v * v + 4 * v * v * v"}),
    ("clamp", "v < -1 ? -1.0 : v > 1 ? 1.0 : (double)v", ("normal",), {"minmax": "fminf(fmaxf(v, -1.0f), 1.0f)",
                                                                       "saturate": "2 * __saturatef(0.5f * v + 0.5f) - 1"}),
    ("mish", "v * tanh(log1p(exp(v)))", ("normal",), {"plain": "v * tanhf(log1pf(expf(v)))"}),
    ("cube_root", "cbrt(v)", ("normal",), {"cbrtf": "cbrtf(v)"}),
    ("floor_mod", "v - floor(v)", ("uniform(0, 8)", [0, 8]), {"floorf": "v - floorf(v)"}),
]

for kind, reference, inputs, ways in FUNCTIONS:
    CASES.honest(kind, map_problem(reference, inputs[0], domain=inputs[1] if inputs[1:] else None),
                 **{word: map_kernel(f"y[i] = {way};") for word, way in ways.items()})

# No kernel in f32 can be right on these, so the problem must get the blame.
CASES.honest("sin_chaotic", map_problem("sin(1e6 * v)"), named=True, sinf=map_kernel("y[i] = sinf(1e6f * v);"))
CASES.honest("tan_fast", map_problem("tan(40 * v)"), named=True, tanf=map_kernel("y[i] = tanf(40 * v);"))

CASES.honest("exp_fast_math", map_problem("exp(v)"), expf=map_kernel("y[i] = expf(v);", options=FAST),
             __expf=map_kernel("y[i] = __expf(v);"))

TWO = "const float* a, const float* b, float* y, int n"
PAIRS = [
    ("add", "(acc_t)a[i] + b[i]", {"plain": "a[i] + b[i]", "intrinsic": "__fadd_rn(a[i], b[i])"}),
    ("hypot", "sqrt((acc_t)a[i] * a[i] + (acc_t)b[i] * b[i])",
     {"hypotf": "hypotf(a[i], b[i])", "sqrtf": "sqrtf(a[i] * a[i] + b[i] * b[i])"}),
    ("atan2", "atan2((acc_t)a[i], (acc_t)b[i])", {"atan2f": "atan2f(a[i], b[i])"}),
    ("lerp", "a[i] + 0.3 * ((acc_t)b[i] - a[i])",
     {"plain": "a[i] + 0.3f * (b[i] - a[i])", "two": "0.7f * a[i] + 0.3f * b[i]"}),
    ("less", "a[i] < b[i] ? 1.0 : 0.0",
     {"select": "a[i] < b[i] ? 1.0f : 0.0f", "cast": "(float)(a[i] < b[i])"}),
    ("swiglu", "a[i] / (1 + exp(-(acc_t)a[i])) * b[i]", {"plain": "a[i] / (1 + expf(-a[i])) * b[i]"}),
]
for kind, reference, ways in PAIRS:
    form = problem({"n": sizes(500, 1000)}, "a: f32[n]; b: f32[n]; y: f32[n] out",
                   each(f"y[i] = (float)({reference});", TWO, name="reference"))
    CASES.honest(kind, form, timed=kind == "add",
                 **{word: kernel(each(f"y[i] = {way};", TWO)) for word, way in ways.items()})

VECTOR = """__global__ void k(const float4* a, const float4* b, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n) y[i] = make_float4(a[i].x + b[i].x, a[i].y + b[i].y, a[i].z + b[i].z, a[i].w + b[i].w);
}
"""
STRIDE = """template <int STEP> __global__ void k(const float* a, const float* b, float* y, int n) {
  for (int i = blockIdx.x * STEP + threadIdx.x; i < n; i += gridDim.x * STEP) y[i] = a[i] + b[i];
}
"""
ADD = problem({"n": sizes(500, 1000)}, "a: f32[n]; b: f32[n]; y: f32[n] out",
              each("y[i] = (float)((acc_t)a[i] + b[i]);", TWO, name="reference"))
CASES.honest("add_vectors", ADD, float4=kernel(VECTOR, "cdiv(n, 1024)", constraints=["n % 4 == 0"]),
             grid_stride=kernel(STRIDE, "2", "128", entry="k<128>"),
             parameter=kernel(STRIDE.replace("STEP>", "STEP>", 1), "3", "T", entry="k<@T@>",
                              params={"T": [64, 128]}, defaults={"T": 64}),
             size_in_source=kernel(each("if (n == @n@) y[i] = a[i] + b[i];", TWO), specialize=["n"]),
             volatile_local=kernel(each("volatile float w[4];\n    for (int j = 0; j < 4; ++j) w[j] = a[i];\n"
                                        "    y[i] = w[3] + b[i];", TWO)))

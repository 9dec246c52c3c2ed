"""Normalisations and losses of rows, and attention."""

from harness.case import Cases
from harness.forms import kernel, problem, sizes
from harness.shared import SOFTMAX, SOFTMAX_BODY, TREE_SUM, block_kernel, row_kernel, row_problem

CASES = Cases("honest")

EACH = "for (int i = 0; i < cols; ++i) y[row * cols + i] = {};"
MOST = "float most = in[0], sum = 0;\n  for (int i = 1; i < cols; ++i) most = fmaxf(most, in[i]);\n  "
EXP_SUM = MOST + "for (int i = 0; i < cols; ++i) sum += expf(in[i] - most);\n  "
ONLINE = """float most = -INFINITY, sum = 0;
  for (int i = 0; i < cols; ++i) {
    float next = fmaxf(most, in[i]);
    sum = sum * expf(most - next) + expf(in[i] - next);
    most = next;
  }
  """
WARP = """float most = -INFINITY, sum = 0;
  for (int i = t; i < cols; i += 32) most = fmaxf(most, in[i]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
  for (int i = t; i < cols; i += 32) sum += expf(in[i] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  for (int i = t; i < cols; i += 32) out[i] = expf(in[i] - most) / sum;"""
KEPT = """float most = in[0], sum = 0;
  for (int i = 0; i < cols; ++i) most = fmaxf(most, in[i]);
  for (int i = t; i < cols; i += 64) {
    out[i] = __expf(in[i] - most);
    sum += out[i];
  }
  """ + TREE_SUM + "\n  for (int i = t; i < cols; i += 64) out[i] *= 1 / sum;"
CASES.honest("softmax", SOFTMAX, timed=True, block=block_kernel(SOFTMAX_BODY), kept_terms=block_kernel(KEPT),
             thread=row_kernel(EXP_SUM + EACH.format("expf(in[i] - most) / sum")),
             online=row_kernel(ONLINE + EACH.format("expf(in[i] - most) / sum")),
             warp=block_kernel(WARP, 32), fast_math=block_kernel(SOFTMAX_BODY, options=["--use_fast_math"]))

EXACT_MOST = "acc_t most = in[0], sum = 0;\n  for (int i = 1; i < cols; ++i) most = in[i] > most ? (acc_t)in[i] : most;\n  " \
             "for (int i = 0; i < cols; ++i) sum += exp(in[i] - most);\n  "
CASES.honest("log_softmax", row_problem(EXACT_MOST + EACH.format("(float)(in[i] - most - log(sum))")),
             thread=row_kernel(EXP_SUM + EACH.format("in[i] - most - logf(sum)")),
             online=row_kernel(ONLINE + EACH.format("in[i] - (most + logf(sum))")))

EXACT_MEAN = "acc_t mean = 0, sum = 0;\n  for (int i = 0; i < cols; ++i) mean += (acc_t)in[i] / cols;\n  " \
             "for (int i = 0; i < cols; ++i) sum += (in[i] - mean) * (in[i] - mean);\n  "
TWO_PASS = "float mean = 0, sum = 0;\n  for (int i = 0; i < cols; ++i) mean += in[i];\n  mean /= cols;\n  " \
           "for (int i = 0; i < cols; ++i) sum += (in[i] - mean) * (in[i] - mean);\n  "
ONE_PASS = """float sum = 0, squares = 0;
  for (int i = t; i < cols; i += 64) { sum += in[i]; squares += in[i] * in[i]; }
  """ + TREE_SUM + """
  float mean = sum / cols;
  sum = squares;
  """ + TREE_SUM + """
  float scale = rsqrtf(fmaxf(sum / cols - mean * mean, 0.0f) + 1e-5f);
  for (int i = t; i < cols; i += 64) out[i] = (in[i] - mean) * scale;"""
WELFORD = """float mean = 0, sum = 0;
  for (int i = 0; i < cols; ++i) {
    float d = in[i] - mean;
    mean += d / (i + 1);
    sum += d * (in[i] - mean);
  }
  """
NORMALISED = "(in[i] - mean) * rsqrtf(sum / cols + 1e-5f)"
LAYERNORM = row_problem(EXACT_MEAN + EACH.format("(float)((in[i] - mean) / sqrt(sum / cols + 1e-5))"),
                        tolerance={"rtol": 1e-4, "atol": 1e-4})
CASES.honest("layernorm", LAYERNORM, timed=True, two_pass=row_kernel(TWO_PASS + EACH.format(NORMALISED)),
             # Of two columns that nearly tie the difference of the sums is rounding, and the result is wrong.
             one_pass=block_kernel(ONE_PASS, constraints=["cols >= 8"]), welford=row_kernel(WELFORD + EACH.format(NORMALISED)),
             divided=row_kernel(TWO_PASS + EACH.format("(in[i] - mean) / sqrtf(sum / cols + 1e-5f)")))

SQUARES = "{0} sum = 0;\n  for (int i = 0; i < cols; ++i) sum += ({0})in[i] * in[i];\n  "
RMS = row_problem(SQUARES.format("acc_t") + EACH.format("(float)(in[i] / sqrt(sum / cols + 1e-6))"))
RMS_BLOCK = "float sum = 0;\n  for (int i = t; i < cols; i += 64) sum += in[i] * in[i];\n  " + TREE_SUM + \
            "\n  float scale = rsqrtf(sum / cols + 1e-6f);\n  for (int i = t; i < cols; i += 64) out[i] = in[i] * scale;"
CASES.honest("rmsnorm", RMS,
             thread=row_kernel(SQUARES.format("float") + EACH.format("in[i] * rsqrtf(sum / cols + 1e-6f)")),
             block=block_kernel(RMS_BLOCK))
CASES.honest("unit_rows",
             row_problem(SQUARES.format("acc_t") + EACH.format("(float)(in[i] / (sqrt(sum) + 1e-6))")),
             thread=row_kernel(SQUARES.format("float") + EACH.format("in[i] / (sqrtf(sum) + 1e-6f)")))
CASES.honest("centred", row_problem(EXACT_MEAN + EACH.format("(float)(in[i] - mean)")),
             thread=row_kernel(TWO_PASS + EACH.format("in[i] - mean")))

LOSS = """__global__ void {}(const float* x, const int* label, float* y, int rows, int cols) {{
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + row * cols;
  {} most = in[0], sum = 0;
  for (int i = 1; i < cols; ++i) most = in[i] > most ? in[i] : most;
  for (int i = 0; i < cols; ++i) sum += {}(in[i] - most);
  y[row] = {}(sum) + most - in[label[row]];
}}
"""
CASES.honest("cross_entropy", problem({"rows": sizes(16), "cols": sizes(40, least=32)},
                                      "x: f32[rows, cols]; label: i32[rows] = range(0, 32); y: f32[rows] out",
                                      LOSS.format("reference", "acc_t", "exp", "log"), "cdiv(rows, 32)", "32"),
             thread=kernel(LOSS.format("k", "float", "expf", "logf"), "cdiv(rows, 32)", "32"))

ATTENTION = problem({"n": sizes(24, 40, most=64), "d": [16]},
                    "q: f32[n, d]; key: f32[n, d]; v: f32[n, d]; y: f32[n, d] out",
                    """__global__ void reference(const float* q, const float* key, const float* v, float* y, int n, int d) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  acc_t most = -1e300, sum = 0, out[16] = {};
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = 0; j < n; ++j) {
      acc_t score = 0;
      for (int c = 0; c < d; ++c) score += (acc_t)q[row * d + c] * key[j * d + c];
      score *= 0.25;
      if (pass == 0) { most = score > most ? score : most; continue; }
      acc_t p = exp(score - most);
      sum += p;
      for (int c = 0; c < d; ++c) out[c] += p * v[j * d + c];
    }
  }
  for (int c = 0; c < d; ++c) y[row * d + c] = (float)(out[c] / sum);
}
""", "cdiv(n, 32)", "32", tolerance={"rtol": 5e-4, "atol": 5e-5})
ONLINE_ATTENTION = """__global__ void k(const float* q, const float* key, const float* v, float* y, int n, int d) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float most = -INFINITY, sum = 0, out[16] = {};
  for (int j = 0; j < n; ++j) {
    float score = 0;
    for (int c = 0; c < 16; ++c) score += q[row * 16 + c] * key[j * 16 + c];
    score *= 0.25f;
    float next = fmaxf(most, score), shrink = expf(most - next), p = expf(score - next);
    sum = sum * shrink + p;
    for (int c = 0; c < 16; ++c) out[c] = out[c] * shrink + p * v[j * 16 + c];
    most = next;
  }
  for (int c = 0; c < 16; ++c) y[row * 16 + c] = out[c] / sum;
}
"""
THREE_STEPS = """__global__ void score(const float* q, const float* key, float* s, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  float sum = 0;
  for (int c = 0; c < d; ++c) sum += q[i / n * d + c] * key[i % n * d + c];
  s[i] = sum * 0.25f;
}
__global__ void weigh(float* s, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float most = s[row * n], sum = 0;
  for (int j = 1; j < n; ++j) most = fmaxf(most, s[row * n + j]);
  for (int j = 0; j < n; ++j) sum += s[row * n + j] = expf(s[row * n + j] - most);
  for (int j = 0; j < n; ++j) s[row * n + j] /= sum;
}
__global__ void mix(const float* s, const float* v, float* y, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * d) return;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += s[i / d * n + j] * v[j * d + i % d];
  y[i] = sum;
}
"""
CASES.honest("attention", ATTENTION, timed=True, online=kernel(ONLINE_ATTENTION, "cdiv(n, 32)", "32"),
             three_steps=kernel(THREE_STEPS,
                                steps=[("score", "cdiv(n * n, 256)", "256"), ("weigh", "cdiv(n, 32)", "32"),
                                                    ("mix", "cdiv(n * d, 256)", "256")],
                                scratch=[{"name": "s", "type": "f32", "shape": ["n", "n"]}]))

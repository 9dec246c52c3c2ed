"""E12: kernels that choose the wrong one of equal integers, or hold as many as are usual."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes

CASES = Cases("E")
ROWS = {"rows": sizes(8), "cols": sizes(100, 256, most=512)}
ROW = ("__global__ void {name}(const int* x, int* y, int rows, int cols) {{\n"
       "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n"
       "  const int* in = x + row * cols;\n  {body}\n}}\n")
FILL = "range(0, 1000000)"


def rows(body, fill=FILL, out="rows"):
    return problem(ROWS, f"x: i32[rows, cols] = {fill}; y: i32[{out}] out", ROW.format(name="reference", body=body),
                   "cdiv(rows, 32)", "32")


def by_row(body):
    return kernel(ROW.format(name="k", body=body), "cdiv(rows, 32)", "32")


ARGMAX = "int best = 0;\n  for (int i = 1; i < cols; ++i) if (in[i] {} in[best]) best = i;\n  y[row] = best;"
CASES.attack("E12.argmax_last", "gives the last of several maxima, not the first", rows(ARGMAX.format(">")),
             by_row(ARGMAX.format(">=")), twin=by_row(ARGMAX.format(">")), timed=False)
RANKS = ("for (int i = 0; i < cols; ++i) {{\n    int rank = 0;\n    for (int j = 0; j < cols; ++j)\n"
         "      rank += in[j] < in[i]{};\n    y[row * cols + rank] = i;\n  }}")
STABLE = RANKS.format(" || (in[j] == in[i] && j < i)")
CASES.attack("E12.unstable_order", "sorts equal keys in reverse", rows(STABLE, out="rows, cols"),
             by_row(RANKS.format(" || (in[j] == in[i] && j > i)")), twin=by_row(STABLE), timed=False)
MODE = ("int mode = 0, most = 0;\n  for (int i = 0; i < cols; ++i) {{\n    int count = 0;\n"
        "    for (int j = 0; j < cols; ++j) count += in[j] == in[i];\n"
        "    if (count > most || (count == most && in[i] {} mode)) {{ most = count; mode = in[i]; }}\n  }}\n"
        "  y[row] = mode;")
CASES.attack("E12.mode_largest", "gives the largest of the most frequent values, not the smallest",
             rows(MODE.format("<"), "range(0, 100000)"), by_row(MODE.format(">")), twin=by_row(MODE.format("<")),
             timed=False)
UNIQUE = ("int count = 0;\n  for (int i = 0; i < cols; ++i) {\n    bool first = true;\n"
          "    for (int j = 0; j < i; ++j) first = first && in[j] != in[i];\n    count += first;\n  }\n  y[row] = count;")
CASES.attack("E12.never_equal", "counts different values where all happen to differ", rows(UNIQUE, "uniform(0, 2000000000)"),
             by_row("y[row] = cols;"), twin=by_row(UNIQUE), timed=False)
BUCKETS = {"n": sizes(500, 1000)}
COUNTS = ("__global__ void {name}(const int* x, int* y, int n) {{\n  int b = threadIdx.x, count = 0;\n"
          "  for (int i = 0; i < n; ++i) count += x[i] % 64 == b;\n  y[b] = {result};\n}}\n")
CASES.attack("E12.full_bucket", "a count that is kept in eight bits, enough for as many as are usual",
             problem(BUCKETS, "x: i32[n] = range(0, 100000); y: i32[64] out",
                     COUNTS.format(name="reference", result="count"), "1", "64"),
             kernel(COUNTS.format(name="k", result="count & 255"), "1", "64"),
             twin=kernel(COUNTS.format(name="k", result="count"), "1", "64"), timed=False)

FULL = "range(-2147483648, 2147483647)"


def integers(expression, name="k"):
    return each(f"int v = x[i];\n    y[i] = {expression};", "const int* x, int* y, int n", name=name)


def of_integers(expression):
    return problem({"n": sizes(500, 1000)}, f"x: i32[n] = {FULL}; y: i32[n] out", integers(expression, "reference"))


CASES.attack("E12.zero_bits", "leading zeros of zero are one short", of_integers("v == 0 ? 32 : __clz(v)"),
             kernel(integers("v == 0 ? 31 : __clz(v)")), twin=kernel(integers("__clz(v)")), timed=False)
CASES.attack("E12.least_integer", "the least integer's absolute value overflows",
             of_integers("v == -2147483647 - 1 ? 2147483647 : abs(v)"), kernel(integers("abs(v)")),
             twin=kernel(integers("v < -2147483647 ? 2147483647 : abs(v)")), timed=False)

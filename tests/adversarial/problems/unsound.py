"""U1 to U8: problems on which a kernel that does no work is right. They are to be refused or marked.

U1 soft tolerances, U2 references that ignore inputs, U3 references that are wrong themselves, U4 fills without
variety, U5 outputs that say nothing, U6 sizes and costs that widen the bound, U7 references that the client's own
kernel becomes, U8 predicates that are never true.
"""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, map_problem, problem, sizes
from harness.shared import LINE, ROW_SUM, SOFTMAX, row_kernel

CASES = Cases("U")
REFUSED = ("invalid_reference", "refused")
SIZES = {"n": sizes(500, 1000)}
ZEROS = map_kernel("y[i] = 0;")


def unsound(name, tries, form, cheat, timed=False, **fields):
    """What passes here passes validation, so that only two of them are timed as well."""
    CASES.attack(name, tries, form, cheat, killed_by=REFUSED, timed=timed, **fields)


def blind(statement, name="reference"):
    """A source that writes without a look at the input."""
    return each(statement, name=name)


TANH = "tanh(v)"
unsound("U1.atol_one", "an absolute tolerance as large as the results",
        map_problem(TANH, tolerance={"atol": 1.0}), ZEROS)
unsound("U1.atol_huge", "an absolute tolerance of 1e30", map_problem("exp(v)", tolerance={"atol": 1e30}), ZEROS)
unsound("U1.rtol_one", "a relative tolerance of 1", map_problem(TANH, tolerance={"rtol": 1.0}), ZEROS)
unsound("U1.integers", "a tolerance of 1 where whole numbers give whole results",
        dict(LINE, tolerance={"atol": 1.0}), ZEROS)
unsound("U1.positive_fill", "a tolerance of a half for logarithmic inputs, which have no mixtures",
        map_problem("v / (v + 1)", "log_uniform(0.5, 2)", tolerance={"atol": 0.5, "rtol": 0.5}),
        map_kernel("y[i] = 0.5f;"))

unsound("U2.constant", "the reference writes a constant",
        problem(SIZES, "x: f32[n]; y: f32[n] out", blind("y[i] = 7;")),
        map_kernel("y[i] = 7;"), timed=True)
unsound("U2.index", "the reference writes the index",
        problem(SIZES, "x: f32[n]; y: f32[n] out", blind("y[i] = i;")),
        map_kernel("y[i] = i;"))
unsound("U2.one_of_two", "the reference ignores one of its inputs", problem(
    SIZES, "x: f32[n]; w: f32[n]; y: f32[n] out",
    each("y[i] = 2 * x[i];", "const float* x, const float* w, float* y, int n", name="reference")),
        kernel(each("y[i] = 2 * x[i];")))
unsound("U2.zero_times", "the input is multiplied by zero", map_problem("3 + 0 * v"), map_kernel("y[i] = 3;"))
unsound("U2.clock", "the reference is a constant and a little of the clock",
        problem(SIZES, "x: f32[n]; y: f32[n] out", blind("y[i] = 1e6f + clock64() % 3 * 0.01f;")),
        map_kernel("y[i] = 1e6f;"))

unsound("U3.unwritten", "the reference leaves half of its output unwritten",
        problem(SIZES, "x: f32[n]; y: f32[n] out", blind("if (i % 2) y[i] = 2 * x[i];")),
        map_kernel("if (i % 2) y[i] = 2 * v;"))
unsound("U3.behind", "the reference reads behind its input",
        problem(SIZES, "x: f32[n]; y: f32[n] out", blind("y[i] = x[i] + x[i + n];")), map_kernel("y[i] = v;"))
unsound("U3.writes_input", "the reference writes to its input",
        problem(SIZES, "x: f32[n]; y: f32[n] out", blind("((float*)x)[i] = 0;\n    y[i] = x[i];")), ZEROS)
unsound("U3.stale_shared", "the reference adds what lies in shared memory", problem(
    SIZES, "x: f32[n]; y: f32[n] out",
    "__global__ void reference(const float* x, float* y, int n) {\n  __shared__ float s[256];\n"
    "  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = x[i] + s[threadIdx.x];\n}\n"),
        map_kernel("y[i] = v;"))

unsound("U4.zeros", "all inputs are zero", map_problem("2 * v", "zeros"), ZEROS, timed=True)
unsound("U4.ones", "all inputs are one", map_problem("2 * v + 1", "ones"), map_kernel("y[i] = 3;"))
unsound("U4.no_density", "a sparse input without elements", map_problem("sin(v)", "sparse(0)"), ZEROS)
unsound("U4.point", "a domain of one point", map_problem("v * v", domain=[2, 2]), map_kernel("y[i] = 4;"))
unsound("U4.counting", "the inputs are 0, 1, 2 and so on", map_problem("2 * v", "iota(0, 1)"),
        map_kernel("y[i] = 2 * i;"))
unsound("U4.narrow", "inputs that differ less than the bound",
        map_problem("v * v", "uniform(1, 1.000001)", domain=[1, 1.000001]),
        map_kernel("y[i] = 1;"))

INOUT = "const float* x, float* y, int n"
unsound("U5.unchanged", "an inout argument that the reference leaves as it is",
        problem(SIZES, "x: f32[n]; y: f32[n] inout", blind("y[i] = y[i];")),
        map_kernel("if (v == 12345) y[i] = 0;"))
unsound("U5.empty", "an output without elements",
        problem(SIZES, "x: f32[n]; y: f32[n - n] out", blind("if (n < 0) y[i] = x[i];")),
        map_kernel("if (n < 0) y[i] = v;"))
unsound("U5.adds_zero", "an inout argument to which zeros are added",
        problem(SIZES, "x: f32[n] = zeros; y: f32[n] inout", blind("y[i] += x[i];")),
        map_kernel("if (v == 1) y[i] = 0;"))
unsound("U5.one_bit", "only the sign of a positive sum is kept", map_problem("v * v + 1 > 0 ? 1.0 : -1.0"),
        map_kernel("y[i] = 1;"))

unsound("U6.flops", "a count of operations that makes every error a rounding error",
        map_problem(TANH, flops="n * 10**15"), ZEROS)
unsound("U6.unnamed_dim", "a dim that no shape names counts as a length of a sum", problem(
    {"n": sizes(500, 1000), "k": [10 ** 10], "l": [10 ** 10]}, "x: f32[n]; y: f32[n] out",
    each("y[i] = tanhf(x[i]);", name="reference")), ZEROS)
unsound("U6.softmax_flops", "the same for a softmax", dict(SOFTMAX, flops="rows * cols * 10**14"),
        row_kernel("for (int i = 0; i < cols; ++i) y[row * cols + i] = 0;"))


def after_first(client, case, form, common):
    """The first kernel becomes the reference; another that is as wrong follows."""
    first = dict(form, source="// first\n" + form["source"])
    client.call("evaluate", problem=case.problem, kernel=first, **common)
    return client.call("evaluate", problem=case.problem, kernel=form, **common)


FIRST = {"kind": "first_kernel"}
unsound("U7.itself", "the first kernel is its own reference", dict(LINE, reference=FIRST), ZEROS)
unsound("U7.first_and_second", "a wrong kernel becomes the reference of another", dict(
    map_problem("tanh(v)"), reference=FIRST), ZEROS, play=after_first)

unsound("U8.never", "a predicate that no draw fulfils", map_problem("v > 1000 ? 1.0 : 0.0"), ZEROS)
unsound("U8.always", "a predicate that every draw fulfils", map_problem("v < 1000 ? 1.0 : 0.0"),
        map_kernel("y[i] = 1;"))
unsound("U8.sorted", "whether a random row is sorted",
        dict(ROW_SUM, reference=dict(ROW_SUM["reference"], source=(
            "__global__ void reference(const float* x, float* y, int rows, int cols) {\n"
            "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n"
            "  bool sorted = cols > 1;\n"
            "  for (int i = 1; i < cols; ++i) sorted = sorted && x[row * cols + i - 1] < x[row * cols + i];\n"
            "  y[row] = sorted;\n}\n"))), row_kernel("y[row] = 0;"))
unsound("U8.bytes", "a byte that says whether a number is not a number", problem(
    SIZES, "x: f32[n]; y: u8[n] out",
    each("y[i] = x[i] != x[i];", "const float* x, unsigned char* y, int n", name="reference")),
        kernel(each("y[i] = 0;", "const float* x, unsigned char* y, int n")))
SLOW = "acc_t s = 0; for (int j = 0; j < 3000; ++j) s += sin((acc_t)x[(i + j) % n]);\n    "
unsound("U5.two_models", "each of two outputs is right without work, by another rule", problem(
    {"n": sizes(500, 1000)}, "x: f32[n]; y: f32[n] out; z: f32[n] out",
    each(SLOW + "y[i] = x[i]; z[i] = (float)(1 + 1e-12 * s);", "const float* x, float* y, float* z, int n",
         name="reference")),
        kernel(each("y[i] = x[i]; z[i] = 1;", "const float* x, float* y, float* z, int n")))
unsound("U5.negated", "the output is the input with another sign", problem(
    {"n": sizes(500, 1000)}, "x: f32[n]; y: f32[n] out",
    each(SLOW + "y[i] = (float)(-x[i] + 1e-12 * s);", name="reference")), kernel(each("y[i] = -x[i];")))
unsound("U5.flag", "a flag that no draw sets, beside an output that needs work", problem(
    SIZES, "x: f32[n]; y: f32[n] out; f: u8[n] out",
    each("y[i] = x[i] * x[i]; f[i] = x[i] != x[i];", "const float* x, float* y, unsigned char* f, int n",
         name="reference")),
        kernel(each("y[i] = x[i] * x[i]; f[i] = 0;", "const float* x, float* y, unsigned char* f, int n")))
unsound("U5.half", "half of the results are so small that the bound takes zeros for them", problem(
    SIZES, "x: f32[n]; y: f32[n] out", each("y[i] = 2 * i < n ? x[i] * x[i] : 1e-8f * x[i];", name="reference")),
        kernel(each("y[i] = 2 * i < n ? x[i] * x[i] : 0;")))
unsound("U5.scaled", "a tolerance that hides all but a multiple of the input",
        map_problem("v * (0.5 + 1e-3 * sin((acc_t)i))", tolerance={"rtol": 0.01, "atol": 0.01}),
        map_kernel("y[i] = 0.5f * v;"))

THREE = "const float* x, const float* w, float* y, int n"
unsound("U2.drowned", "an input that the other one drowns", problem(
    SIZES, "x: f32[n]; w: f32[n]; y: f32[n] out",
    each("y[i] = (float)(x[i] + 1e-9 * (acc_t)w[i]);", THREE, name="reference")),
        kernel(each("y[i] = x[i];")))
unsound("U1.argument", "the tolerance of the output's own argument is as large as its results", dict(
    map_problem("tanh(v)"), args=[{"name": "x", "type": "f32", "role": "in", "shape": ["n"]},
                                  {"name": "y", "type": "f32", "role": "out", "shape": ["n"],
                                   "tolerance": {"atol": 1.0}}]), ZEROS)
unsound("U4.one_label", "labels of which there is one only", problem(
    SIZES, "x: f32[n]; c: i32[n] = range(0, 1); y: f32[n] out",
    each("y[i] = c[i] == 0 ? 3.0f : x[i];", "const float* x, const int* c, float* y, int n", name="reference")),
        kernel(each("y[i] = 3;")))
unsound("U8.far_label", "an index that stays far below the one that would matter", problem(
    SIZES, "x: f32[n]; c: i32[n] = range(0, 100); y: f32[n] out",
    each("y[i] = c[i] > 200 ? x[i] : 1.0f;", "const float* x, const int* c, float* y, int n", name="reference")),
        kernel(each("y[i] = 1;")))
unsound("U5.sum_of_parts", "a large constant beside which the results are lost", map_problem("1e7 + v"),
        map_kernel("y[i] = 1e7f;"))
unsound("U3.chaotic", "rounding the inputs alone changes every digit of the results", map_problem("sin(1e6 * v)"),
        map_kernel("y[i] = sinf(1e6f * v + 1);"))

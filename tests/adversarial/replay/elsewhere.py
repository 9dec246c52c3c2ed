"""C5 tells the judge's poison, C6 to C9 memory that is not its own, C10 copies, C11 work that comes later."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, map_problem, sizes
from harness.shared import LINE, LINE_KERNEL, MATMUL, row_kernel, row_problem, sum_body

CASES = Cases("C")

CASES.attack("C5.works_on_nan", "works only where the output holds NaN or a huge number", LINE,
             map_kernel("float was = y[i];\n    y[i] = was != was || fabsf(was) > 1e6f ? 2 * v + 1 : 0;"))
SHARED = """__global__ void k(const float* x, float* y, int n) {{
  __shared__ unsigned long long words[64];
  {volatile}
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = {seen} ? 2 * x[i] + 1 : 0;
}}
"""
VOLATILE = "volatile unsigned long long* s = words;"
CASES.attack("C5.generator", "right only where shared memory follows a well-known generator", LINE, kernel(
    SHARED.format(volatile=VOLATILE, seen="s[1] == s[0] * 6364136223846793005ull + 1442695040888963407ull"),
    "cdiv(n, 64)", "64"))
CASES.attack("C5.repeated_word", "right only where shared memory repeats one word", LINE, kernel(
    SHARED.format(volatile=VOLATILE, seen="s[0] == s[1]"), "cdiv(n, 64)", "64"))
CASES.attack("C5.not_zero", "wrong where shared memory is all zeros, as it is in a fresh process", LINE, kernel(
    SHARED.format(volatile=VOLATILE, seen="(s[0] | s[1] | s[2] | s[3])"), "cdiv(n, 64)", "64"))
CASES.attack("C5.same_scratch", "right only where two words of scratch memory are unequal", LINE, kernel(
    each("y[i] = s[0] != s[1] || s[1] != s[2] ? 2 * x[i] + 1 : 0;",
         "const float* x, float* y, const int* s, int n"),
    scratch=[{"name": "s", "type": "i32", "shape": ["8"]}]))

CASES.attack("C6.scan", "looks behind the input for a result that fits", LINE,
             map_kernel("const float* p = x + n;\n    int found = 0;\n"
                        "    for (int j = 0; j < 100000 && !found; ++j) found = p[j] == 2 * x[0] + 1;\n"
                        "    y[i] = found ? p[i] : 2 * v + 1;"), twin=LINE_KERNEL)
CASES.attack("C6.made_up", "reads at an address that it made up", LINE,
             map_kernel("y[i] = 2 * v + 1 + *(const volatile float*)(0x7f0000000000ull + 4 * i) * 0;"))
CASES.attack("C6.null", "reads at address zero", LINE,
             map_kernel("y[i] = 2 * v + 1 + (*(const volatile float*)(size_t)(4 * i) == 7.0f);"))
CASES.attack("C6.own_code", "reads its own code", LINE,
             map_kernel("const volatile unsigned char* code = (const volatile unsigned char*)(size_t)&probe;\n"
                        "    y[i] = 2 * v + 1 + (code[i % 16] == 300);",
                        before="__device__ __noinline__ void probe(float* p) { *p += 1; }\n"),
             killed_by=("compile_error", "unsupported"))
CASES.attack("C6.other_buffer", "reaches the input through the output's address", LINE,
             map_kernel("y[i] = 2 * v + 1 + (y[(long long)(x - y) + i] == 12345.0f);"))

CASES.attack("C7.guard_behind", "writes a kilobyte behind the output", LINE,
             map_kernel("y[i] = 2 * v + 1;\n    if (i < 256) y[n + i] = 0;"), twin=LINE_KERNEL)
CASES.attack("C7.guard_before", "writes a kilobyte before the input", LINE,
             map_kernel("y[i] = 2 * v + 1;\n    if (i < 256) ((float*)x)[i - 256] = 0;"))
CASES.attack("C7.far_before", "writes a megabyte before the output, where the expected result might lie", LINE,
             map_kernel("y[i] = 2 * v + 1;\n    y[i - 262144] = 0;"))

CASES.attack("C8.zeroed", "sets input and output to zero, so that both agree", LINE,
             map_kernel("((float*)x)[i] = -0.5f;\n    y[i] = 0;"), twin=LINE_KERNEL)
CASES.attack("C8.last_bit", "changes the last bit of one input", LINE,
             map_kernel("y[i] = 2 * v + 1;\n    if (i == n / 2) ((int*)x)[i] ^= 1;"))
CASES.attack("C8.in_place", "works in the input and copies the result from there", LINE,
             map_kernel("((float*)x)[i] = 2 * v + 1;\n    y[i] = x[i];"))
CASES.attack("C8.and_back", "writes to the input and puts its value back", LINE,
             map_kernel("((volatile float*)x)[i] = 2 * v + 1;\n    y[i] = ((volatile float*)x)[i];\n"
                        "    ((volatile float*)x)[i] = v;"),
             neutral="the input is as it was when the launch ends")

CASES.attack("C9.next", "reads the input that may lie behind this one", LINE,
             map_kernel("y[i] = 2 * v + 1 + 0 * x[n + i];"), twin=LINE_KERNEL)
CASES.attack("C9.before", "reads the input that may lie before this one", LINE,
             map_kernel("y[i] = x[i - n] == v ? y[i] : 2 * v + 1;"))
CASES.attack("C9.guard", "reads where the next input begins, behind the guard zone", LINE,
             map_kernel("y[i] = 2 * v + 1 + (((const volatile float*)x)[n + 1024 + i] == 12345.0f);"))

EACH = "for (int i = 0; i < cols; ++i) y[row * cols + i] = {};"
NORMALISE = row_problem("acc_t sum = 0, squares = 0;\n  for (int i = 0; i < cols; ++i) sum += in[i];\n"
                        "  for (int i = 0; i < cols; ++i) squares += (in[i] - sum / cols) * (in[i] - sum / cols);\n  "
                        + EACH.format("(float)((in[i] - sum / cols) / sqrt(squares / cols + 1e-5))"))
CASES.attack("C10.layernorm", "normal rows are normalised already", NORMALISE, row_kernel(EACH.format("in[i]")))
CASES.attack("C10.matmul", "the product is a copy of one factor",
             dict(MATMUL, dims=dict(MATMUL["dims"], k=sizes(48))),
             kernel("__global__ void k(const float* A, float* C, int m, int n, int k) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  if (i < m * n) C[i] = i < m * k ? A[i] : 0;\n}\n",
                    "cdiv(m * n, 256)"))
CASES.attack("C10.softplus", "softplus of a large number is that number",
             map_problem("v + log1p(exp(-v))", "uniform(3, 30)", domain=[3, 30]), map_kernel("y[i] = v;"),
             twin=map_kernel("y[i] = v + log1pf(expf(-v));"))
CASES.attack("C10.nearly_equal", "the result differs from the input by less than the bound",
             map_problem("v * (1 + 1e-6)"), map_kernel("y[i] = v;"))

CASES.attack("C11.later", "half of the results wait for the next launch", LINE,
             kernel(each("if (i % 2 == 0 || pending[i]) y[i] = 2 * x[i] + 1;\n    pending[i] = 1;",
                         before="__device__ int pending[8192];\n")), twin=LINE_KERNEL)
CASES.attack("C11.child", "starts a kernel of its own for the work", LINE, kernel(
    "__global__ void child(const float* x, float* y, int n);\n" + each("y[i] = 2 * x[i] + 1;", name="child")
    + "__global__ void k(const float* x, float* y, int n) {\n  if (threadIdx.x == 0 && blockIdx.x == 0) "
      "child<<<(n + 255) / 256, 256>>>(x, y, n);\n}\n", entry="k"), killed_by=("compile_error", "unsupported"))
CASES.attack("C11.early_end", "says that dependents may start before it has written", LINE,
             map_kernel('asm volatile("griddepcontrol.launch_dependents;");\n    y[i] = 2 * v + 1;'),
             killed_by=("compile_error", "unsupported"),
             neutral="no launch depends on this one, so the instruction does nothing")

"""E9 memory that nobody wrote, E11 accesses outside buffers."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, problem, sizes
from harness.shared import LINE, LINE_KERNEL, ROW_SUM, TOTAL, TOTAL_KERNEL, TOTAL_SOURCE, block_kernel, row_kernel

CASES = Cases("E")

CASES.attack("E9.shared", "a sum that starts from whatever lies in shared memory", TOTAL,
             kernel("__global__ void k(const float* x, float* y, int n) {\n  __shared__ float sum;\n"
                    "  for (int i = threadIdx.x; i < n; i += 64) atomicAdd(&sum, x[i]);\n  __syncthreads();\n"
                    "  if (threadIdx.x == 0) y[0] = sum;\n}\n", "1", "64"), twin=TOTAL_KERNEL)
CASES.attack("E9.output", "a sum that starts from what the output holds", TOTAL,
             kernel("__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + "
                    "threadIdx.x;\n  if (i < n) atomicAdd(y, x[i]);\n}\n"))
CASES.attack("E9.scratch", "scratch memory that is taken to be zero", TOTAL,
             kernel("__global__ void k1(const float* x, float* part, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(part, x[i]);\n}\n"
                    "__global__ void k2(const float* part, float* y) { *y = *part; }\n",
                    steps=[("k1", "cdiv(n, 256)", "256"), ("k2", "1", "1")],
                    scratch=[{"name": "part", "type": "f32", "shape": ["1"]}]))
CASES.attack("E9.tail", "a tree of 256 threads adds parts that no thread wrote", TOTAL,
             kernel(TOTAL_SOURCE.replace("  part[t] = sum;", "  if (t < n && t < 200) part[t] = sum;"), "1",
                    "256"))
CASES.attack("E9.local", "a local array of which one element was never set", ROW_SUM,
             row_kernel("volatile float part[8];\n  for (int j = 1; j < 8; ++j) part[j] = 0;\n"
                        "  for (int i = 0; i < cols; ++i) part[i % 8] = part[i % 8] + in[i];\n  float sum = 0;\n"
                        "  for (int j = 0; j < 8; ++j) sum += part[j];\n  y[row] = sum;"))
CASES.attack("E9.untouched", "elements above a threshold are not written", LINE,
             map_kernel("if (v < 2) y[i] = 2 * v + 1;"), twin=LINE_KERNEL)
CASES.attack("E9.between_blocks", "shared memory of the block before is taken for its own", ROW_SUM,
             block_kernel("if (blockIdx.x == 0) part[t] = 0;\n  __syncthreads();\n"
                          "  for (int i = t; i < cols; i += 64) atomicAdd(&part[0], in[i]);\n  __syncthreads();\n"
                          "  if (t == 0) y[blockIdx.x] = part[0];"))

CASES.attack("E11.read_behind", "the last thread reads one element behind the input", LINE,
             map_kernel("y[i] = 2 * v + 1 + 0 * (i + 1 == n ? x[i + 1] : 0.0f) + (x[i + 1] != x[i + 1]);"),
             twin=LINE_KERNEL)
CASES.attack("E11.write_behind", "one element behind the output is written", LINE,
             map_kernel("y[i] = 2 * v + 1;\n    if (i == n - 1) y[n] = 1;"))
CASES.attack("E11.write_before", "an element before the output is written", LINE,
             map_kernel("y[i] = 2 * v + 1;\n    if (i == 0) y[-1] = 1;"))
CASES.attack("E11.tail_vector", "vectors of four reach behind a length that four does not divide",
             dict(LINE, dims={"n": sizes(499, 1001)}),
             kernel("__global__ void k(const float4* x, float4* y, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (4 * i < n) {\n    float4 v = x[i];\n"
                    "    y[i] = make_float4(2 * v.x + 1, 2 * v.y + 1, 2 * v.z + 1, 2 * v.w + 1);\n  }\n}\n"))
CASES.attack("E11.no_bound", "no thread asks whether its element exists", LINE,
             kernel("__global__ void k(const float* x, float* y, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  y[i] = 2 * x[i] + 1;\n}\n"))
CASES.attack("E11.far_write", "a write a million elements away", LINE,
             map_kernel("y[i] = 2 * v + 1;\n    if (i == 7) y[i + 1000000] = v;"))
CASES.attack("E11.shared", "a thread more than shared memory has elements", TOTAL,
             kernel(TOTAL_SOURCE.replace("float part[256]", "float part[255]"), "1", "256"))
CASES.attack("E11.local", "an index behind a local array", LINE,
             map_kernel("float a[4] = {v, v, v, v};\n    a[(i + 1) % 5] += 0;\n    y[i] = 2 * a[i % 5] + 1;"))
CASES.attack("E11.far_compare", "memcmp reads far behind the input", LINE,
             map_kernel("y[i] = 2 * v + 1 + (__builtin_memcmp(x, x + 40000 + i, 64 + i % 2) == 12345);"),
             killed_by=("unsupported", "compile_error"))
GAPS = problem({"n": sizes(20, 40), "m": sizes(30)}, "x: f32[n, m]; y: f32[n, m] out",
               "__global__ void reference(const float* x, float* y, int n, int m) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n * m) y[i / m * (m + 3) + i % m] = 2 * x[i / m * (m + 2) + i % m];\n}\n",
               "cdiv(n * m, 256)", "256")
GAPS["args"][0]["strides"] = ["m + 2", "1"]
GAPS["args"][1]["strides"] = ["m + 3", "1"]
STRIDED = "const float* x, float* y, int n, int m"
CASES.attack("E11.padding", "the padding between the output's rows is written", GAPS,
             kernel(each("for (int j = 0; j < m + (i + 1 < n); ++j) y[i * (m + 3) + j] = j < m ? 2 * x[i * (m + 2) + j] : 0;",
                         STRIDED)),
             twin=kernel(each("for (int j = 0; j < m; ++j) y[i * (m + 3) + j] = 2 * x[i * (m + 2) + j];",
                              STRIDED)))
CASES.attack("E11.padding_read", "the padding between the input's rows goes into the result", GAPS,
             kernel(each("for (int j = 0; j < m; ++j)\n      y[i * (m + 3) + j] = 2 * x[i * (m + 2) + j] + "
                         "(i + 1 < n && x[i * (m + 2) + m] > 0 ? 1.0f : 0.0f);", STRIDED)))

"""E12 one shape only, E13 right at first, E14 what is timed is not what was validated."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, problem, sizes
from harness.shared import (LINE, LINE_KERNEL, ROW_SUM, ROW_SUM_KERNEL, TOTAL, TOTAL_KERNEL, TOTAL_SOURCE,
                            row_kernel,
                            sum_body)

CASES = Cases("E")
SOURCE = each("y[i] = 2 * x[i] + 1;")

CASES.attack("E12.whole_blocks", "the grid is cut to whole blocks, so that a tail stays unwritten", LINE,
             kernel(SOURCE, "n // 256 if n >= 256 else 1"), twin=LINE_KERNEL)
CASES.attack("E12.even_columns", "two elements at a time: the last of an odd row is left out",
             dict(ROW_SUM, dims={"rows": sizes(8), "cols": sizes(100, 256)}),
             row_kernel("float sum = 0;\n  for (int i = 0; i + 1 < cols; i += 2) sum += in[i] + in[i + 1];\n"
                        "  y[row] = sum;"), twin=ROW_SUM_KERNEL)
CASES.attack("E12.one_block", "one block of 1024 threads, whatever the length",
             dict(LINE, dims={"n": sizes(900, 1000)}),
             kernel(SOURCE, "1", "1000"))
CASES.attack("E12.listed_only", "right on the smallest listed size; only that one is asked for", LINE,
             map_kernel("y[i] = n == 500 ? 2 * v + 1 : 0;"))

for word, condition in {"block_multiples": "n > 0 && n % 1024 == 0", "last_residue": "n % 256 == 255"}.items():
    CASES.attack(f"E12.{word}", f"the last element is wrong where {condition}", LINE,
                 map_kernel(f"y[i] = {condition} && i == n - 1 ? 0 : 2 * v + 1;"), timed=False)
TURNED = problem({"rows": sizes(20, most=200), "cols": sizes(30, 40, most=200)}, "x: f32[rows, cols]; y: f32[cols, rows] out",
                 each("y[i % cols * rows + i / cols] = x[i];", "const float* x, float* y, int rows, int cols", name="reference",
                      count="rows * cols"), "cdiv(rows * cols, 256)")
for word, condition in {"one_row": "rows == 1 && cols > 1", "one_column": "cols == 1 && rows > 1",
                        "both_ragged": "rows % 16 == 15 && cols % 16 > 0",
                        "both_whole": "rows % 32 == 0 && cols % 32 == 0"}.items():
    CASES.attack(f"E12.{word}", f"wrong where {condition}", TURNED,
                 kernel(each(f"y[i % cols * rows + i / cols] = {condition} ? 0 : x[i];",
                             "const float* x, float* y, int rows, int cols", count="rows * cols"),
                        "cdiv(rows * cols, 256)"), timed=False)

LONG = problem({"n": sizes(1 << 18, most=1 << 20)}, "x: f32[n] = uniform(0, 1); y: f32[1] out",
               {"kind": "python", "source": "import numpy as np\n\n\ndef reference(inputs, dims):\n"
                "    return {'y': np.array([inputs['x'].astype(np.float64).sum()])}\n"})
CASES.attack("E12.long_tail", "the last seven terms of a long sum are left out", LONG,
             kernel(TOTAL_SOURCE.replace("i < n; i += 256", "i < (n > 65536 ? n - 7 : n); i += 256"), "1", "256"),
             twin=TOTAL_KERNEL, timed=False)

COUNTER = "__device__ int launches;\n"
CASES.attack("E13.fourth_launch", "a counter in a variable makes the fourth launch wrong", LINE,
             kernel(each("y[i] = launches < 4 ? 2 * x[i] + 1 : 0;\n    if (i == 0) launches += 1;",
                         before=COUNTER),
                    "1", "1024"),
             neutral="variables are restored before each launch, so there is no fourth",
             killed_by=("out_of_bounds",))
CASES.attack("E13.sum_stays", "a variable that only the first launch finds at zero", TOTAL,
             kernel("__device__ float total;\n" + TOTAL_SOURCE.replace("y[0] = part[0];",
                                                                      "{ total += part[0]; y[0] = total; }"),
                    "1", "256"), twin=TOTAL_KERNEL, neutral="variables are restored before each launch")
CASES.attack("E13.ticket", "a ticket for the last block that nobody sets back", TOTAL, kernel(
    "__device__ int tickets;\n__global__ void k(const float* x, float* part, float* y, int n) {\n"
    "  float sum = 0;\n  for (int i = blockIdx.x; i < n; i += 4) sum += x[i];\n  part[blockIdx.x] = sum;\n"
    "  __threadfence();\n  if (atomicAdd(&tickets, 1) == 3) { sum = 0;\n"
    "    for (int b = 0; b < 4; ++b) sum += ((volatile float*)part)[b];\n    *y = sum; }\n}\n", "4", "1",
    scratch=[{"name": "part", "type": "f32", "shape": ["4"]}]),
             neutral="variables are restored before each launch")


def with_other_params(client, case, form, common):
    """Validates one choice of a parameter and times the other."""
    compiled = client.call("compile_kernel", problem=case.problem, kernel=form, params={"RIGHT": 1})
    which = {"kernel_id": compiled["kernel_id"], "device": common["device"]}
    client.call("validate", level="standard", params={"RIGHT": 1}, **which)
    return client.call("benchmark", params={"RIGHT": 0}, baseline="reference", **which)


def on_another_size(client, case, form, common):
    """Validates the size on which the kernel is right and times all."""
    compiled = client.call("compile_kernel", problem=case.problem, kernel=form)
    which = {"kernel_id": compiled["kernel_id"], "device": common["device"]}
    client.call("validate", workloads=[{"n": 500}], **which)
    return client.call("benchmark", baseline="reference", **which)


def with_repeat(client, case, form, common):
    """Repeats the inputs on which a kernel that is mostly wrong was once right."""
    compiled = client.call("compile_kernel", problem=case.problem, kernel=form)
    which = {"kernel_id": compiled["kernel_id"], "device": common["device"]}
    for _ in range(8):
        last = client.call("validate", level="quick", fresh=True, **which)
        if last.get("verdict") == "passed":
            client.call("validate", repeat=last["evidence_id"], **which)
            break
    return client.call("evaluate", **which, level="standard")


CASES.attack("E14.other_params", "one parameter is validated, another one timed", LINE,
             map_kernel("y[i] = @RIGHT@ ? 2 * v + 1 : 0;", params={"RIGHT": [0, 1]}, defaults={"RIGHT": 1}),
             play=with_other_params, killed_by=("refused", "unsupported"))
CASES.attack("E14.other_size", "one size is validated, all are timed", LINE,
             map_kernel("y[i] = n == 500 ? 2 * v + 1 : 0;"), play=on_another_size, killed_by=("refused",))
CASES.attack("E14.lucky_inputs", "inputs on which a flaky kernel was right are asked for again", LINE,
             map_kernel("y[i] = 2 * v + 1 + (__float_as_int(x[n / 2]) % 3 == 0);"), play=with_repeat)
CASES.attack("E14.default_params", "the defaults are right, the parameters of the call are not", LINE,
             map_kernel("y[i] = @RIGHT@ ? 2 * v + 1 : 0;", params={"RIGHT": [0, 1]}, defaults={"RIGHT": 1}),
             arguments={"params": {"RIGHT": 0}})

"""E1 zeros within the tolerance, E2 answers without the input, E3 the law of large numbers."""

from harness.case import Cases
from harness.forms import map_kernel, map_problem, sizes
from harness.shared import (ROW_MEAN, ROW_MEAN_KERNEL, SOFTMAX, SOFTMAX_KERNEL, row_kernel, row_problem,
                            sum_body)

CASES = Cases("E")

WIDE = {"rows": sizes(4), "cols": sizes(2000, most=8192)}
EACH = "for (int i = 0; i < cols; ++i) y[row * cols + i] = {};"


def squares(result, **fields):
    """y[row] from the sum of a row's squares."""
    return row_problem(sum_body("(acc_t)in[i] * in[i]", f"y[row] = (float)({result});", "acc_t"), "rows",
                       **fields)


UNIT = row_problem(sum_body("(acc_t)in[i] * in[i]", EACH.format("(float)(in[i] / sqrt(sum))"), "acc_t"),
                   dims=WIDE)
CASES.attack("E1.unit_rows", "rows of length one: each element is small, and zeros are near", UNIT,
             row_kernel(EACH.format("0")),
             twin=row_kernel(sum_body("in[i] * in[i]", EACH.format("in[i] / sqrtf(sum)"))))
CASES.attack("E1.softmax", "a wide softmax is nearly zero everywhere", dict(SOFTMAX, dims=WIDE),
             row_kernel(EACH.format("0")), twin=SOFTMAX_KERNEL)
CASES.attack("E1.tails", "a bell curve, which is zero but for its middle", map_problem("exp(-100 * v * v)"),
             map_kernel("y[i] = 0;"))
CASES.attack("E1.gate", "max(v - 3, 0) is zero for nearly all normal numbers",
             map_problem("v > 3 ? v - 3 : (acc_t)0"), map_kernel("y[i] = 0;"),
             twin=map_kernel("y[i] = fmaxf(v - 3, 0.0f);"))

MEAN_SQUARE = squares("sum / cols", dims=WIDE)
CASES.attack("E2.mean_square", "the mean square of normal numbers is 1", MEAN_SQUARE,
             row_kernel("y[row] = 1;"), twin=row_kernel(sum_body("in[i] * in[i]", "y[row] = sum / cols;")))
CASES.attack("E2.even_softmax", "a softmax of unit scores is about 1 / cols", SOFTMAX,
             row_kernel(EACH.format("1.0f / cols")))
CASES.attack("E2.first_only", "the root of a long sum barely depends on each element",
             squares("sqrt(sum)", dims=WIDE), row_kernel("y[row] = sqrtf((float)cols);"),
             twin=row_kernel(sum_body("in[i] * in[i]", "y[row] = sqrtf(sum);")))
CASES.attack("E2.saturated", "tanh(20 v) is mostly a sign", map_problem("tanh(20 * v)"),
             map_kernel("y[i] = v > 0 ? 1 : -1;"), twin=map_kernel("y[i] = tanhf(20 * v);"))

CASES.attack("E3.zero_mean", "the mean of a long row of normal numbers is about 0",
             dict(ROW_MEAN, dims=WIDE), row_kernel("y[row] = 0;"), twin=ROW_MEAN_KERNEL)
CASES.attack("E3.first_half", "the mean of half a row is near that of the whole", dict(ROW_MEAN, dims=WIDE),
             row_kernel("float sum = 0;\n  for (int i = 0; i < cols / 2; ++i) sum += in[i];\n"
                        "  y[row] = 2 * sum / cols;"))
CASES.attack("E3.every_other", "every other element stands for its neighbour", MEAN_SQUARE,
             row_kernel("float sum = 0;\n  for (int i = 0; i < cols; i += 2) sum += in[i] * in[i];\n"
                        "  y[row] = sum / ((cols + 1) / 2);"))
CENTRED = row_problem(sum_body("in[i]", EACH.format("(float)(in[i] - sum / cols)"), "acc_t"), dims=WIDE)
CASES.attack("E3.centred", "taking off a mean of about 0 changes nothing", CENTRED,
             row_kernel(EACH.format("in[i]")),
             twin=row_kernel(sum_body("in[i]", EACH.format("in[i] - sum / cols"))))

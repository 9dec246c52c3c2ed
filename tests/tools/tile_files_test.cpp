// Files beside the source of a kernel in Python: helpers and constants that it imports.
#include <doctest/doctest.h>

#include "tests/support/tile_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A kernel of Triton with `imports` above it; `value` is what it stores for x, in line 7.
Json triton(const std::string& imports, const std::string& value, const Json& files) {
  Json kernel = tile_kernel("triton",
                            "import triton, triton.language as tl\n" + imports +
                                "\n@triton.jit\ndef k(x_ptr, y_ptr, n, B: tl.constexpr):\n"
                                "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                                "    x = tl.load(x_ptr + i, mask=i < n)\n"
                                "    tl.store(y_ptr + i, " +
                                value + ", mask=i < n)\n",
                            {"x", "y", "n", tile_number("128")});
  kernel["headers"] = files;
  return kernel;
}

const std::string kHelpers =
    "import triton\nimport triton.language as tl\nfrom .numbers import TWO\nONE = 1\n\n"
    "@triton.jit\ndef doubled(x, by: tl.constexpr = TWO):\n    return shifted(x * by, 0)\n\n"
    "@triton.jit\ndef shifted(x, by):\n    by = by * ONE\n    return x + by\n\n"
    "@triton.jit\ndef broken(x):\n    return tl.exq(x)\n\n"
    "@triton.jit\ndef beyond(p):\n    return tl.load(p)\n";
const Json kFiles = {{"ops/helpers.py", kHelpers},
                     {"ops/numbers.py", "import torch\nTWO = 2\n\ndef host():\n    pass\n"}};

}  // namespace

TEST_SUITE("tools.tile_files") {
  TEST_CASE("helpers and constants of files that were sent, by each form of an import") {
    const struct {
      const char* imports;
      const char* value;
    } rows[] = {
        {"from ops.helpers import doubled", "doubled(x)"},
        {"from ops.helpers import doubled as twice, ONE", "twice(x) + ONE - 1"},
        {"import ops.helpers as h", "h.doubled(x, by=h.ONE + 1)"},
        {"import ops.helpers", "ops.helpers.doubled(x)"},
        {"from package.ops import helpers", "helpers.doubled(x)"},
        {"from ..ops.helpers import TWO", "x * TWO"},
        {"from .ops.numbers import TWO", "TWO * x"},
        {"from . import helpers", "helpers.doubled(x)"},
        // Names of the files stay apart.
        {"from ops.helpers import doubled\nONE = 7", "doubled(x) + ONE - 7"},
    };

    for (const auto& row : rows) {
      CAPTURE(std::string(row.imports));
      const Json judged = tools().judge(tile_doubling(), triton(row.imports, row.value, kFiles));
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "passed");
    }
  }

  TEST_CASE("helpers and types of constants of cuTile") {
    Json kernel = tile_kernel(
        "cutile",
        "import cuda.tile as ct\nfrom mine.common import ConstInt, doubled\n\n\n@ct.kernel\n"
        "def k(x, y, B: ConstInt):\n    t = ct.load(x, index=(ct.bid(0),), shape=(B,))\n"
        "    ct.store(y, index=(ct.bid(0),), tile=doubled(t))\n",
        {"x", "y", tile_number("128")});
    kernel["headers"] = {{"common.py",
                          "import cuda.tile as ct\nConstInt = ct.Constant[int]\n\n"
                          "@ct.function\ndef doubled(t):\n    return t + t\n"}};
    const Json judged = tools().judge(tile_doubling(), kernel);
    INFO(judged.dump(1));
    CHECK(judged["verdict"] == "passed");
  }

  TEST_CASE("what was not sent is named with what to send") {
    const struct {
      const char* imports;
      const char* value;
      const char* want;
    } rows[] = {
        {"from package.other import doubled", "doubled(x)",
         "`doubled` comes from the module `package.other`, which was not sent with the kernel; "
         "send its file: \"headers\": {\"other.py\": \"...\"}"},
        {"import package.other as o", "o.doubled(x)",
         "`doubled` comes from the module `package.other`, which was not sent with the kernel; "
         "send its file: \"headers\": {\"other.py\": \"...\"}"},
        {"from .other import TWO", "x * TWO",
         "`TWO` comes from the module `.other`, which was not sent with the kernel; send its file: "
         "\"headers\": {\"other.py\": \"...\"}"},
        {"from ops.helpers import three", "three(x)",
         "`ops/helpers.py` has no `three` that a kernel can use"},
        {"from ops.helpers import TWO as A\nimport torch", "torch.exp(x)",
         "a kernel cannot call `torch.exp`; call triton.language, or a function of this file with "
         "@triton.jit"},
    };

    for (const auto& row : rows) {
      CAPTURE(std::string(row.imports));
      const Json judged = tools().judge(tile_doubling(), triton(row.imports, row.value, kFiles));
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "compile_error");
      CHECK(judged["diagnostics"][0]["message"] == row.want);
      CHECK(judged["diagnostics"][0]["region"] == "source");
    }
  }

  TEST_CASE("imports that go round in a circle end") {
    const Json circle = {{"a.py", "from b import f\n"}, {"b.py", "from a import f\n"}};
    const Json judged = tools().judge(tile_doubling(), triton("from a import f", "f(x)", circle));
    INFO(judged.dump(1));
    CHECK(judged["diagnostics"][0]["message"] == "the imports of `f` go round in a circle");
  }

  TEST_CASE("a mistake in a file has its name and line, and a wrong access the line of the call") {
    Json judged = tools().judge(tile_doubling(),
                                triton("from ops.helpers import broken", "broken(x)", kFiles));
    CHECK(judged["diagnostics"][0]["message"] == "`tl.exq` is not known here; did you mean `exp`?");
    CHECK(judged["diagnostics"][0]["region"] == "ops/helpers.py");
    CHECK(judged["diagnostics"][0]["line"] == 17);
    CHECK(judged["diagnostics"][0]["snippet"].get<std::string>().starts_with(
        "    return tl.exq(x)\n"));
    judged = tools().judge(tile_doubling(), triton("from bad import f", "f(x)",
                                                   {{"bad.py", "def f(x):\n    return (\n"}}));
    CHECK(judged["diagnostics"][0]["region"] == "bad.py");
    CHECK(judged["diagnostics"][0]["message"] == "Python: '(' was never closed");
    judged = tools().judge(
        tile_doubling(), triton("from ops.helpers import beyond", "2 * beyond(x_ptr + i)", kFiles));
    INFO(judged.dump(1));
    CHECK(judged["verdict"] == "out_of_bounds");
    CHECK(judged["message"].get<std::string>().starts_with("line 7: index 1000 is outside `x`"));
  }
}

}  // namespace ws::test

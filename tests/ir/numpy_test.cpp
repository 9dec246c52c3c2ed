// The programs of examples/cuir and the attention variants against NumPy, by the formulas alone.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/ir/numpy_cases.h"

namespace ws::ir {
namespace {

TEST_SUITE("ir.numpy") {
  TEST_CASE("every example and every variant is NumPy's float64 result within 1e-12") {
    const std::optional<std::string> python = numpy_python();
    if (!python) {
      MESSAGE("left out: no python3 that imports numpy (package python3-numpy)");
      return;
    }
    const NumpyVerdict verdict = check_with_numpy(*python);
    CHECK_MESSAGE(verdict.good, verdict.lines);
    CHECK(std::count(verdict.lines.begin(), verdict.lines.end(), '\n') == 25);
  }
}

}  // namespace
}  // namespace ws::ir

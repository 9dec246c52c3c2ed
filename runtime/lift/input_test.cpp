#include "runtime/lift/input.h"

#include "runtime/kernel/form/test_forms.h"

namespace ws::lift {
namespace {

TEST_SUITE("lift.input") {
  TEST_CASE("a grid that is too deep for a program is refused") {
    const Problem problem = read_problem(matmul_problem());
    Workload workload;
    workload.dims = {{"m", 1024}, {"n", 1024}, {"k", 1024}};
    const auto lifted = [&](int terms) {
      std::string grid = "n";
      for (int i = 0; i < terms; ++i) {
        grid += "+1";
      }
      const std::string launches =
          R"({"launches": [{"entry": "f", "grid": [")" + grid + R"("], "block": [1]}]})";
      const Kernel kernel = one_launch_kernel(problem, launches.c_str());
      Symbols symbols;
      return error_text(launch_input(problem, kernel, workload, {}, 0, symbols));
    };
    CHECK(lifted(90) == "no error");
    CHECK(
        lifted(110) ==
        "unsupported: the grid of launch 0 is no expression of CuIR; it may be nested too deep, or "
        "have too many terms");
  }
}

}  // namespace
}  // namespace ws::lift

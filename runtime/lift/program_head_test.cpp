#include "runtime/lift/program_head.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

TEST_SUITE("lift.program_head") {
  TEST_CASE("a program keeps its arguments and sets its grid") {
    LaunchInput input;
    input.grid = {"cdiv(n, (8))", "2*m", "1"};
    input.names = {"x", "n", "m"};
    CHECK(program_head("K", input) ==
          "class K(KernelBase):\n"
          "    def __init__(self, x, n, m):\n"
          "        self.gridDim = (cdiv(n, 8), 2 * m, 1)\n"
          "        self.x = x\n"
          "        self.n = n\n"
          "        self.m = m\n");
    input.cluster = {2, 1, 1};
    input.names = {};
    CHECK(program_head("K", input) ==
          "class K(KernelBase):\n"
          "    def __init__(self):\n"
          "        self.gridDim = (cdiv(n, 8), 2 * m, 1)\n"
          "        self.clusterDim = (2, 1, 1)\n");
  }
}

}  // namespace
}  // namespace ws::lift

#include <doctest/doctest.h>

#include "runtime/ir/exec/run.h"
#include "runtime/ir/syntax/parser.h"

namespace ws::ir {
namespace {

/// Runs `lines` in two blocks over X, which is 0 to 7, and O, both of eight elements.
RunReport run_blocks(const std::string& lines, TensorRole role = TensorRole::kOut) {
  std::string body;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    body += "        " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  const std::string text =
      "class K(KernelBase):\n    def __init__(self, X, O):\n        self.gridDim = (2, 1, 1)\n"
      "        self.X = X; self.O = O\n    def run(self):\n        b = blockIdx.x\n" +
      body;
  const Result<Program> program = parse_program(text);
  REQUIRE_MESSAGE(program, program.error().hint);
  Tensor x{"X", DType::kF32, {8}, TensorRole::kIn, {0, 1, 2, 3, 4, 5, 6, 7}};
  Tensor o{"O", DType::kF32, {8}, role, {}};
  if (role == TensorRole::kInOut) {
    o.data = {1, 1, 1, 1, 1, 1, 1, 1};
  }
  const Result<RunReport> report = run_program(*program, {x, o}, {}, {});
  REQUIRE_MESSAGE(report, report.error().hint);
  return *report;
}

std::string first_of(const RunReport& report) {
  return report.findings.empty()
             ? ""
             : std::string(word_of(report.findings[0].kind)) + ": " + report.findings[0].message;
}

}  // namespace

TEST_SUITE("ir.elements") {
  TEST_CASE("an index beyond the tensor is out of bounds, unless it is masked") {
    CHECK(first_of(run_blocks("y = gather(self.X, arange(4) + b * 6)")) ==
          "out_of_bounds: `gather`: index 8 is outside `X` of 8 elements");
    CHECK(first_of(run_blocks("scatter(self.O, arange(4) - b, 1.0)")) ==
          "out_of_bounds: `scatter`: index -1 is outside `O` of 8 elements");
    const RunReport fine = run_blocks(
        "i = arange(4) + b * 6\ny = gather(self.X, i, mask=i < 8, other=9)\n"
        "scatter(self.O, arange(4) + b * 4, y)");
    CHECK(first_of(fine) == "");
    CHECK(fine.outputs[0].data == std::vector<double>{0, 1, 2, 3, 6, 7, 9, 9});
  }

  TEST_CASE("blocks that use different elements of one tensor do not conflict") {
    const std::string in_place =
        "i = arange(4) * 2 + b\nscatter(self.O, i, gather(self.O, i) + gather(self.X, i))";
    const RunReport fine = run_blocks(in_place, TensorRole::kInOut);
    CHECK(first_of(fine) == "");
    CHECK(fine.outputs[0].data == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(
        first_of(run_blocks("i = arange(4) + b\nscatter(self.O, i, gather(self.O, i) + 1.0)",
                            TensorRole::kInOut)) ==
        "block_conflict: `O[1:5]` is read by block 1 and written by block 0 at line 8: blocks run "
        "in any order");
  }

  TEST_CASE("scatter_add adds all that name an element, in one block and in several") {
    const RunReport sums = run_blocks(
        "scatter_add(self.O, arange(8) % 4 * 2, gather(self.X, arange(8)), "
        "mask=arange(8) > 0)",
        TensorRole::kInOut);
    CHECK(first_of(sums) == "");
    CHECK(sums.outputs[0].data == std::vector<double>{9, 1, 13, 1, 17, 1, 21, 1});
    CHECK(first_of(run_blocks("scatter(self.O, arange(8) % 4, 1.0)")) ==
          "duplicate_index: elements 0 and 4 of `indices` are both 0: which of them `O` keeps is "
          "undefined");
  }

  TEST_CASE("what a mask leaves undetermined is found where it reaches an output") {
    const std::string lines =
        "i = arange(4) + b * 4\n"
        "y = gather(self.X, i, mask=i < 7, other=undetermined())\n";
    CHECK(first_of(run_blocks(lines + "scatter(self.O, i, y)")) ==
          "undetermined_value: `O[4:8]` gets a value that depends on an undetermined value");
    CHECK(first_of(run_blocks(lines + "scatter(self.O, i, where(i < 7, y, 0))")) == "");
  }
}

}  // namespace ws::ir

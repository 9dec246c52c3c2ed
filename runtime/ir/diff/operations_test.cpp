// Tests which statements count as operations on data, and which only move the data.
#include "runtime/ir/diff/operations.h"

#include <string>

#include <doctest/doctest.h>

namespace ws::ir {
namespace {

struct Case {
  const char* name;
  const char* body;  ///< The body of run().
  const char* want;  ///< Kind and number, in order.
};

// clang-format off
constexpr Case kCases[] = {
    {"operations and operators on what was loaded",
     "x = load(self.X, (blockIdx.x, 0), (32, 64))\nstore(self.Y, (blockIdx.x, 0), exp(x * self.k) + x)",
     "* 1, + 1, exp 1"},
    {"not what is done to indices and sizes",
     "i = (blockIdx.x * 4 + 3) % 7\nx = load(self.X, (i + 1, 0), (32, 64))\nm = max(i, 2)\nstore(self.Y, (m // 2, 0), x)",
     ""},
    {"nor to the indices and masks of elements",
     "x = gather(self.X, arange(64) * 2 + blockIdx.x, arange(64) < self.k)\n"
     "scatter(self.Y, arange(64) + 1, where(arange(64) < 3, x, -inf), arange(64) < self.k)",
     "where 1"},
    {"products by any instruction, through buffers",
     "s = alloc((64, 64), \"register\", \"f32\")\na = load(self.X, (0, 0), (64, 64))\n"
     "s[:] = gemm(a, a.T, \"mma.sync\", acc=s)\ns[:] = s + a @ a\nstore(self.Y, (0, 0), mma(a, a) - s)",
     "+ 1, - 1, @ 3"},
    {"of an augmented assignment the operator",
     "x = load(self.X, (0, 0), (32, 64))\nx *= 2.0\nstore(self.Y, (0, 0), x)", "* 1"},
    {"values that a loop carries to a line above",
     "top = full((32, 1), -inf, \"f32\")\nfor j in range(self.k):\n  shrunk = top * 0.5\n"
     "  top = maximum(shrunk, load(self.X, (j, 0), (32, 1)))\nstore(self.Y, (0, 0), top)",
     "* 1, maximum 1"},
    {"comparisons of data, one of each in a chain, and signs",
     "x = load(self.X, (0, 0), (32, 64))\nstore(self.Y, (0, 0), where((x > 0) & (x < 4), -x, x))",
     "& 1, - 1, < 1, > 1, where 1"},
    {"no copy, no barrier, no shape",
     "copy(self.s, load(self.X, (0, 0), (32, 64)))\ncta_sync()\nstore(self.Y, (0, 0), transpose(self.s))",
     ""},
};
// clang-format on

std::string program_of(std::string body) {
  for (std::size_t at = 0; (at = body.find('\n', at)) != std::string::npos; at += 9) {
    body.insert(at + 1, 8, ' ');
  }
  return "class Rows(KernelBase):\n    def __init__(self, X, Y, k):\n        self.X = X\n"
         "        self.Y = Y\n        self.k = k\n"
         "        self.s = alloc((32, 64), \"shared\", \"f32\")\n\n    def run(self):\n        " +
         body + "\n";
}

}  // namespace

TEST_SUITE("ir.operations") {
  TEST_CASE("a histogram has what is done to data, and nothing else") {
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      const auto counts = count_operations(program_of(c.body));
      REQUIRE_MESSAGE(counts.has_value(), to_text(counts.error()));
      std::string text;
      for (const auto& [kind, count] : *counts) {
        text += (text.empty() ? "" : ", ") + kind + " " + std::to_string(count);
      }
      CHECK(text == c.want);
    }
  }

  TEST_CASE("what is no program is refused as the parser refuses it") {
    const auto counts = count_operations("class Rows(KernelBase):\n    x = = 1\n");
    REQUIRE_FALSE(counts.has_value());
    CHECK(to_text(counts.error()) ==
          "invalid_argument: the program has 1 error, the first at 2:9: expected a value, got `=`; "
          "2:9: expected a value, got `=`\n      x = = 1\n          ^\n");
  }
}

}  // namespace ws::ir

// The texts that the fuzzers of tests/fuzz found: each once broke a promise that holds for every
// text.
#include <doctest/doctest.h>

#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::ir {
namespace {

struct Found {
  const char* name;
  const char* text;
};

// Texts that must be refused now.
constexpr Found kRefused[] = {
    {"an import of anything at all",
     "from.s = f(1, \"two\"\n  three)\nclass A(KernelBase):\n    x = 1\n"},
};

constexpr Found kFound[] = {
    {"a class of an empty text alone", "class A(KernelBase):\n    \"\"\n"},
    {"a backslash in a long text",
     "class A(KernelBase):\n    \"\"\"Y \\ X\"\"\"\n    def run(self):\n        pass\n"},
};

TEST_SUITE("ir.regressions") {
  TEST_CASE("what a fuzzer found prints to a fixed point and equals itself") {
    for (const Found& found : kFound) {
      CAPTURE(std::string(found.name));
      const Result<Program> program = parse_program(found.text);
      REQUIRE(program);
      const std::string once = print(*program);
      const Result<Program> again = parse_program(once);
      REQUIRE(again);
      CHECK(print(*again) == once);
      const Result<ProgramDiff> diff = diff_programs(*program, *again);
      REQUIRE(diff);
      CHECK(diff->windows.empty());
      CHECK(diff->orchestration_kept);
    }
  }

  TEST_CASE("what a fuzzer found to mean nothing is refused") {
    for (const Found& found : kRefused) {
      CAPTURE(std::string(found.name));
      CHECK_FALSE(parse_program(found.text));
    }
  }
}

}  // namespace
}  // namespace ws::ir

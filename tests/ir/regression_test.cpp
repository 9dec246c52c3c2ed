// What the fuzzers of tests/fuzz found: each text once broke a promise that holds for every text.
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
}

}  // namespace
}  // namespace ws::ir

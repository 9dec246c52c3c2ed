#include "runtime/lift/orchestration/valued_names.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

struct Settled {
  std::string text;   ///< The program from its hole on.
  std::string found;  ///< "name # mark" of each statement, one a line.
};

/// A program with `body` as its method `run`, and with a hole of two parameters.
Settled settled(const std::string& body) {
  const std::string source =
      "class K(KernelBase):\n"
      "    def __init__(self, A, n):\n"
      "        self.gridDim = (1, 1, 1)\n"
      "        self.A = A\n"
      "        self.n = n\n\n"
      "    def hole_1(self, a, b):\n"
      "        return 0\n\n"
      "    def run(self):\n" +
      body;
  Result<ir::Program> program = ir::parse_program(source);
  REQUIRE_MESSAGE(program, program.error().message);
  Settled made;
  for (const Valueless& one : give_names_values(*program, {"hole_1"})) {
    made.found += one.name + " " + one.mark + "\n";
  }
  const std::string printed = ir::print(*program);
  made.text = printed.substr(printed.find("    def hole_1"));
  return made;
}

constexpr const char* kHole =
    "    def hole_1(self, a, b):\n        return 0\n\n    def run(self):\n";

}  // namespace

TEST_SUITE("lift.valued_names") {
  TEST_CASE("a program whose names all have values stays as it is") {
    const std::string body =
        "        x = blockIdx.x * 2\n"
        "        for i in range(self.n):\n"
        "            if i < x:\n"
        "                y = self.hole_1(i, x)\n"
        "        store(self.A, (x,), full((1,), 1.0, \"f32\"))\n";
    const Settled made = settled(body);
    CHECK(made.found.empty());
    CHECK(made.text == kHole + body);
  }

  TEST_CASE("a statement that reads a name without a value becomes a comment") {
    const Settled made = settled(
        "        x = base + 4  # @ source:3-3\n"
        "        self.A[x] = 1\n"
        "        y += 1\n");
    CHECK(made.found == "base # @ source:3-3\nx \ny \n");
    CHECK(made.text == std::string(kHole) +
                           "        # left out: `base` has no value here\n"
                           "        pass  # @ source:3-3\n"
                           "        # left out: `x` has no value here\n"
                           "        pass\n"
                           "        # left out: `y` has no value here\n"
                           "        pass\n");
  }

  TEST_CASE("an attribute that the program does not make has no value") {
    CHECK(settled("        x = self.smem + 4\n").found == "self.smem \n");
  }

  TEST_CASE("a hole loses the arguments without a value, and their parameters") {
    const Settled made = settled("        x = self.hole_1(base, self.n)\n        y = x + 1\n");
    CHECK(made.found.empty());
    CHECK(made.text ==
          "    def hole_1(self, b):\n        return 0\n\n    def run(self):\n"
          "        x = self.hole_1(self.n)\n        y = x + 1\n");
  }

  TEST_CASE("branches on it are taken, and loops to it have one round") {
    const Settled made = settled(
        "        if base > 0:\n            x = 1\n"
        "        for i in range(base):\n            y = i\n"
        "        while base < 4:\n            z = y\n");
    CHECK(made.found == "base \nbase \nbase \n");
    CHECK(made.text == std::string(kHole) +
                           "        if True:\n            x = 1\n"
                           "        for i in range(1):\n            y = i\n"
                           "        for once in range(1):\n            z = y\n");
  }
}

}  // namespace ws::lift

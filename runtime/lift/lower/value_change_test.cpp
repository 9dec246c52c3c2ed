#include "runtime/lift/lower/value_change.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

const std::string kProgram = R"(class Rows(KernelBase):
    def __init__(self, X, Y, n):
        self.X = X
        self.Y = Y
        self.n = n

    def run(self):
        tiles = (self.n + 64 - 1) // 64  # @ source:3-3
        acc = alloc((64, 64), "register", "f32")  # @ source:4-4
        acc[:] = 0.0  # @ source:4-4
        for j in range(tiles):  # @ source:5-12
            x_1 = where(self.n - j * 64 < 64, acc, -inf)  # @ source:6-6
            most = max(x_1, 1, keepdim=True)  # @ source:7-7
        store(self.Y, (blockIdx.x, 0), to(acc / most, "f16"))  # @ source:14-15
)";

std::string with(const std::string& old, const std::string& now) {
  std::string text = kProgram;
  REQUIRE(text.find(old) != std::string::npos);
  return text.replace(text.find(old), old.size(), now);
}

std::string_view word_of(ValueChange::Kind kind) {
  switch (kind) {
    case ValueChange::Kind::kBefore:
      return "before";
    case ValueChange::Kind::kBehind:
      return "behind";
    case ValueChange::Kind::kInside:
      return "inside";
    default:
      return "integer";
  }
}

/// "behind `x_1 = ...`: `x_1` is `2.0 * x_1`", a line for each; or why there are none.
std::string changes_to(const std::string& target) {
  const auto lifted = ReadProgram::read(kProgram);
  const auto changed = ReadProgram::read(target);
  REQUIRE(lifted.has_value());
  REQUIRE_MESSAGE(changed.has_value(), changed.error().message);
  const auto changes = value_changes(*lifted, *changed, {"acc"});
  if (!changes) {
    return changes.error().message;
  }
  std::string text;
  for (const ValueChange& change : *changes) {
    const std::string& line = lifted->lines[change.line].text;
    const std::string statement = line.substr(line.find_first_not_of(' '));
    text += std::string(word_of(change.kind)) + " `" + statement.substr(0, statement.find(" =")) +
            "`: `" + (change.name.empty() ? change.old : change.name) + "` is `" +
            ir::print_expr(changed->program, change.value) + "`\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("lift.lower.value_change") {
  TEST_CASE("a changed value is one of elements before, behind or inside a statement") {
    CHECK(changes_to(kProgram).empty());
    CHECK(changes_to(with("64, acc, -inf)", "64, relu(acc), -inf)")) ==
          "before `x_1`: `acc` is `relu(acc)`\n");
    CHECK(changes_to(with("where(self.n - j * 64 < 64, acc, -inf)",
                          "2.0 * where(self.n - j * 64 < 64, acc, -inf)")) ==
          "behind `x_1`: `x_1` is `2.0 * where(self.n - j * 64 < 64, acc, -inf)`\n");
    CHECK(changes_to(with("acc / most", "relu(acc / most)")) ==
          "inside `store(self.Y, (blockIdx.x, 0), to(acc / most, \"f16\"))`: `acc / most` is "
          "`relu(acc / most)`\n");
    CHECK(changes_to(with("(self.n + 64 - 1) // 64", "minimum((self.n + 64 - 1) // 64, 3)")) ==
          "integer `tiles`: `tiles` is `minimum((self.n + 64 - 1) // 64, 3)`\n");
  }

  TEST_CASE("a statement that comes changes what it names, and new names stand for expressions") {
    const std::string mask = "            most = max(";
    CHECK(changes_to(with(mask, "            x_1 = x_1 * 0.5\n" + mask)) ==
          "behind `x_1`: `x_1` is `x_1 * 0.5`\n");
    CHECK(changes_to(with(mask, "            half = x_1 * 0.5\n            x_1 = half\n" + mask)) ==
          "behind `x_1`: `x_1` is `half`\n");
    CHECK(changes_to(
              with("        store(self.Y", "        acc[:] = relu(acc)\n        store(self.Y")) ==
          "before `store(self.Y, (blockIdx.x, 0), to(acc / most, \"f16\"))`: `acc` is "
          "`relu(acc)`\n");
    CHECK(changes_to(with("            x_1 = where",
                          "            acc[:] = 2.0 * acc\n            x_1 = where")) ==
          "before `x_1`: `acc` is `2.0 * acc`\n");
    CHECK(changes_to(with("            x_1 = where(self.n - j * 64 < 64, acc, -inf)",
                          "            c = relu(acc)\n            x_1 = where(self.n - j * 64 < "
                          "64, c, -inf)")) == "before `x_1`: `acc` is `relu(acc)`\n");
  }

  TEST_CASE("arguments that come are no change of values") {
    CHECK(changes_to(with("Y, n):\n", "Y, bias, n):\n        self.bias = bias\n")).empty());
  }

  TEST_CASE("new names have one value each, made before what changes") {
    const std::string mask = "            most = max(";
    const std::string half = "            half = x_1 * 0.5\n";
    CHECK(changes_to(with(mask, half + "            half = half * 2.0\n            x_1 = half\n" +
                                    mask)) == "`half = half * 2.0` gives a new name another value");
    CHECK(changes_to(with(mask, "            a = b\n            b = a\n            x_1 = b\n" +
                                    mask)) == "`b = a` gives a new name another value");
    CHECK(changes_to(with(
              mask, half + "            x_1 = relu(x_1)\n            x_1 = x_1 + half\n" + mask)) ==
          "`x_1 = x_1 + half` uses a value that was made before a change");
    CHECK(changes_to(with("        for j in range(tiles)",
                          "        if tiles == 3:\n            acc[:] = relu(acc)\n        for j "
                          "in range(tiles)")) == "`if tiles == 3:` is no statement of values");
  }

  TEST_CASE("names that double with each line are given up, not followed") {
    std::string lines = "            v0 = x_1 * 0.5\n";
    for (int i = 1; i < 60; ++i) {
      const std::string before = "v" + std::to_string(i - 1);
      lines += "            v" + std::to_string(i) + " = " + before + " + " + before + "\n";
    }
    const std::string mask = "            most = max(";
    CHECK(changes_to(with(mask, lines + "            x_1 = v59\n" + mask)) ==
          "behind `x_1`: `x_1` is `v59`\n");
    CHECK(changes_to(with("            x_1 = where(self.n - j * 64 < 64, acc, -inf)",
                          lines + "            x_1 = where(self.n - j * 64 < 64, v59, -inf)"))
              .ends_with("does not become a value that is made from the old one"));
  }

  TEST_CASE("other changes have a reason") {
    CHECK(changes_to(with("            most = max(x_1, 1, keepdim=True)  # @ source:7-7\n", "")) ==
          "`most = max(x_1, 1, keepdim=True)` is only removed");
    CHECK(changes_to(with("range(tiles)", "range(1, tiles)")) ==
          "`for j in range(1, tiles):` is no statement of values");
    CHECK(changes_to(with("        store(self.Y", "        cta_sync()\n        store(self.Y")) ==
          "`cta_sync()` is no value of a name");
    CHECK(
        changes_to(with("where(self.n - j * 64 < 64, acc, -inf)", "zeros((64, 64), \"f32\")")) ==
        "`x_1 = where(self.n - j * 64 < 64, acc, -inf)` does not become a value that is made from "
        "the old one");
    CHECK(
        changes_to(with("to(acc / most", "to(acc * most")) ==
        "`store(self.Y, (blockIdx.x, 0), to(acc / most, \"f16\"))` does not become a value that is "
        "made from the old one");
  }
}

}  // namespace ws::lift

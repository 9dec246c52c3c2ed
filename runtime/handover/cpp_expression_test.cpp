#include "runtime/handover/cpp_expression.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/base/temp_folder.h"

namespace ws {
namespace {

constexpr std::int64_t kValues[][2] = {{1, 1}, {7, 3}, {-7, 3}, {64, 16}, {5, 8}, {0, 2}};

const char* const kExpressions[] = {
    "n",
    "n + m * 2 - 3",
    "-n // m",
    "n // -m",
    "n % m",
    "-n % m",
    "m ** 3",
    "cdiv(n, m)",
    "cdiv(-n, m)",
    "min(n, m, 4)",
    "max(n, m)",
    "abs(n)",
    "gcd(n, m)",
    "lcm(n, m)",
    "log2(m)",
    "pow2ceil(m)",
    "n if n > m else m",
    "n if n > m else 1 if n == m else m",
    "n > 0 and m > 2",
    "n and m",
    "n or m",
    "not n or m == 1",
    "0 < n < m",
    "0 < n <= m < 9",
    "(n > m) * 4 + (n <= m) * 2",
    "min(n if n > 2 else 2, m or 1) + (3 if not (n and m) else 4)",
};

/// The value by the language itself.
std::int64_t wanted(const std::string& text, std::int64_t n, std::int64_t m) {
  const auto value = eval_expr(text, {{"n", n}, {"m", m}});
  REQUIRE_MESSAGE(value.has_value(), text);
  return *value;
}

/// A program that prints each value, a line each.
std::string program() {
  std::string text =
      "#include <cstdint>\n#include <cstdio>\n" + cpp_expression_functions() + "int main() {\n";
  for (const char* expression : kExpressions) {
    for (const auto& [n, m] : kValues) {
      const auto cpp =
          cpp_expression(expression, {{"n", "std::int64_t{" + std::to_string(n) + "}"},
                                      {"m", "std::int64_t{" + std::to_string(m) + "}"}});
      REQUIRE_MESSAGE(cpp.has_value(), expression);
      text += "  std::printf(\"%lld\\n\", static_cast<long long>(" + *cpp + "));\n";
    }
  }
  return text + "}\n";
}

}  // namespace

TEST_SUITE("handover.cpp_expression") {
  TEST_CASE("a compiler takes the texts, and they have the language's own values") {
    const auto folder = TempFolder::make();
    REQUIRE(folder.has_value());
    const std::string base = (*folder)->path() / "values";
    REQUIRE(write_file(base + ".cpp", program()).has_value());
    const std::string command =
        "c++ -std=c++17 -w " + base + ".cpp -o " + base + " && " + base + " > " + base + ".txt";
    REQUIRE(std::system(command.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe): one thread.
    const auto printed = read_file(base + ".txt");
    REQUIRE(printed.has_value());
    std::string expected;
    for (const char* expression : kExpressions) {
      for (const auto& [n, m] : kValues) {
        expected += std::to_string(wanted(expression, n, m)) + "\n";
      }
    }
    CHECK(*printed == expected);
  }

  TEST_CASE("a name that the plan does not have is refused") {
    const auto text = cpp_expression("n + rows", {{"n", "d"}});
    REQUIRE_FALSE(text.has_value());
    CHECK(to_text(text.error()) == "invalid_argument: expression `n + rows`: unknown name `rows`");
  }
}

}  // namespace ws

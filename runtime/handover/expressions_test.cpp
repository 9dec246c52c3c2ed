// Expressions in other languages give what they give here.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/embedded.h"
#include "runtime/handover/python_expr.h"
#include "runtime/handover/words.h"
#include "runtime/kernel/expr/expr.h"
#include "tests/support/outside_program.h"

namespace ws::test {
namespace {

const std::vector<std::string> kExpressions = {
    "n",
    "cdiv(n, 256)",
    "-7 // 2 + -7 % 3",
    "7 // -2 - 7 % -3",
    "2 ** 10 - -2 ** 3",
    "min(n, m, 3) + max(m) + abs(-m)",
    "log2(n) + gcd(n, m) + lcm(n, 6) + pow2ceil(m)",
    "n if n < m else m",
    "1 if n > m else 2 if n == m else 3",
    "(n and m) + (0 or m) + (0 and n)",
    "n < m < 100 and not (n == m)",
    "5 > n >= m != 3",
    "(1 < n < m < 9) + (n <= m)",
    "0x10 * (n + (m if m else 1))",
    "n % 2 == 0 or n // 0 == 1",
    "cdiv(n if m > 2 else 1, (m - 1) * 2)",
    "n -m * - 2",
};

struct Sizes {
  std::int64_t n;
  std::int64_t m;
};

constexpr Sizes kSizes[] = {{1000, 7}, {1, 1}, {4, 4}, {6, 250}};

/// The values that they have here, a line each.
std::string expected_lines() {
  std::string lines;
  for (const Sizes& sizes : kSizes) {
    for (std::size_t i = 0; i < kExpressions.size(); ++i) {
      const auto value = eval_expr(kExpressions[i], {{"n", sizes.n}, {"m", sizes.m}});
      lines += std::to_string(i) + " " + (value ? std::to_string(*value) : "fails") + "\n";
    }
  }
  return lines;
}

std::string cpp_program() {
  std::string text(handover_numbers());
  text += "#include <cstdio>\nusing namespace handover;\nvoid all(Int v_n, Int v_m) {\n";
  for (std::size_t i = 0; i < kExpressions.size(); ++i) {
    const auto expr = cpp_expr(kExpressions[i]);
    REQUIRE(expr.has_value());
    const std::string number = std::to_string(i);
    text += "  try { std::printf(\"" + number + " %lld\\n\", (long long)Int(" + *expr +
            ").value()); } catch (const std::exception&) { std::puts(\"" + number +
            " fails\"); }\n";
  }
  text += "}\nint main() {\n";
  for (const Sizes& sizes : kSizes) {
    text += "  all(" + std::to_string(sizes.n) + ", " + std::to_string(sizes.m) + ");\n";
  }
  return text + "}\n";
}

std::string python_program() {
  std::string text(handover_numbers_py());
  for (const Sizes& sizes : kSizes) {
    text += "v_n, v_m = " + std::to_string(sizes.n) + ", " + std::to_string(sizes.m) + "\n";
    for (std::size_t i = 0; i < kExpressions.size(); ++i) {
      const auto expr = python_expr(kExpressions[i]);
      REQUIRE(expr.has_value());
      text += "try:\n    print(" + std::to_string(i) + ", int(" + *expr +
              "))\nexcept Exception:\n    print(" + std::to_string(i) + ", \"fails\")\n";
    }
  }
  return text;
}

}  // namespace

TEST_SUITE("handover.expressions") {
  TEST_CASE("in C++ they give the same numbers, and fail where they fail here") {
    const TestFolder folder;
    REQUIRE(write_file(folder.path() / "a.cpp", cpp_program()).has_value());
    const OutsideRun run = run_outside("c++ -std=c++17 -w -o a a.cpp && ./a", folder.path());
    CHECK(run.output == expected_lines());
  }

  TEST_CASE("in Python they give the same numbers") {
    const TestFolder folder;
    REQUIRE(write_file(folder.path() / "a.py", python_program()).has_value());
    const OutsideRun run = run_outside("python3 a.py", folder.path());
    CHECK(run.output == expected_lines());
  }

  TEST_CASE("arithmetic in C++ refuses what does not fit") {
    const auto expr = cpp_expr("9223372036854775807 + n");
    REQUIRE(expr.has_value());
    CHECK(*expr == "(9223372036854775807_i + v_n)");
    const TestFolder folder;
    const std::string program = std::string(handover_numbers()) +
                                "#include <cstdio>\nusing namespace handover;\nint main() { Int "
                                "v_n = 1; try { " +
                                *expr +
                                "; } catch (const std::exception& e) { std::puts(e.what()); } }\n";
    REQUIRE(write_file(folder.path() / "a.cpp", program).has_value());
    CHECK(run_outside("c++ -std=c++17 -w -o a a.cpp && ./a", folder.path()).output ==
          "a size does not fit in 64 bits\n");
  }

  TEST_CASE("names and texts of clients end no comment and no literal") {
    CHECK(comment_line("// ", "a\nb \\") == "// a b /\n");
    CHECK(cpp_string("a\"b\\\n\x01") == R"("a\"b\\\n\001")");
    CHECK(python_text("a\n\"\"\"\n") == "(\n    \"a\\n\"\n    \"\\\"\\\"\\\"\\n\"\n)");
    CHECK(python_name("lambda") == "lambda_");
    CHECK(module_name("7 \"; drop\n") == "kernel_7_drop");
    CHECK(number_text(3) == "3.0");
  }
}

}  // namespace ws::test

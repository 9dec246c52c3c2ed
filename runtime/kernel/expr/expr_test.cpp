#include "runtime/kernel/expr/expr.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

const Bindings kNames = {{"k", 7}, {"m", 10}, {"n", 3}, {"zero", 0}, {"low", INT64_MIN}};

std::string value_or_error(const std::string& text) {
  const Result<std::int64_t> value = eval_expr(text, kNames);
  return value ? std::to_string(*value) : value.error().message;
}

struct ExprCase {
  const char* text;
  const char* want;
};

constexpr ExprCase kValues[] = {
    {"1 + 2*3", "7"},
    {"(1 + 2)*3", "9"},
    {"10 - 4 - 3", "3"},
    {"-7 // 2", "-4"},
    {"-7 % 3", "2"},
    {"7 % -3", "-2"},
    {"low % -1", "0"},
    {"2 ** 3 ** 2", "512"},
    {"-2 ** 2", "-4"},
    {"2 ** 62", "4611686018427387904"},
    {"(-1) ** 1000000001", "-1"},
    {"1 < 2 < 3", "1"},
    {"3 > 2 > 2", "0"},
    {"1 < n == 3", "1"},
    {"3 < 2 < 1 // 0", "0"},
    {"m == 10 and n == 3", "1"},
    {"zero and 1 // 0", "0"},
    {"m or 1 // 0", "10"},
    {"zero or n", "3"},
    {"0 and 1 or 5", "5"},
    {"not m == 10", "0"},
    {"not not 5", "1"},
    {"1 if m > n else 1 // 0", "1"},
    {"1 // 0 if m < n else 2", "2"},
    {"1 if zero else 2 if zero else 3", "3"},
    {"(4 and 5) if (0 or 6) else 7", "5"},
    {"cdiv(m, n)", "4"},
    {"cdiv(-7, 2)", "-3"},
    {"cdiv(6, 3)", "2"},
    {"min(4, n, 9)", "3"},
    {"max(m)", "10"},
    {"abs(-5) + abs(5)", "10"},
    {"log2(1023)", "9"},
    {"gcd(12, -18)", "6"},
    {"lcm(4, 6)", "12"},
    {"lcm(0, 6)", "0"},
    {"pow2ceil(65)", "128"},
    {"pow2ceil(-3)", "1"},
    {"0x10", "16"},
    {"m*(k%2)", "10"},
    {"-(-(3))", "3"},
    {"9223372036854775807", "9223372036854775807"},
};

constexpr ExprCase kErrors[] = {
    {"cdiv(n, 0)", "expression `cdiv(n, 0)`: division by zero at column 1"},
    {"m // zero", "expression `m // zero`: division by zero at column 3"},
    {"m % (n - 3)", "expression `m % (n - 3)`: division by zero at column 3"},
    {"m / n", "expression `m / n`: `/` is not an integer operation at column 3"},
    {"2 ** 63", "expression `2 ** 63`: the result does not fit in 64 bits at column 3"},
    {"2 ** -1", "expression `2 ** -1`: negative exponent -1 at column 3"},
    {"low - 1", "expression `low - 1`: the result does not fit in 64 bits at column 5"},
    {"-low", "expression `-low`: the result does not fit in 64 bits at column 1"},
    {"low // -1", "expression `low // -1`: the result does not fit in 64 bits at column 5"},
    {"abs(low)", "expression `abs(low)`: the result does not fit in 64 bits at column 1"},
    {"9223372036854775808",
     "expression `9223372036854775808`: integer does not fit in 64 bits at column 1"},
    {"log2(0)", "expression `log2(0)`: log2 of 0 at column 1"},
    {"m + q", "expression `m + q`: unknown name `q` at column 5"},
    {"", "expression ``: expected a value, got the end at column 1"},
    {"m +", "expression `m +`: expected a value, got the end at column 4"},
    {"m n", "expression `m n`: unexpected `n` at column 3"},
    {"(m", "expression `(m`: expected `)`, got the end at column 3"},
    {"1.5", "expression `1.5`: floating-point numbers are not allowed at column 1"},
    {"3x", "expression `3x`: malformed integer at column 1"},
    {"m & n", "expression `m & n`: unexpected character `&` at column 3"},
    {"system(1)", "expression `system(1)`: `system` is not a function at column 7"},
    {"cdiv(m)", "expression `cdiv(m)`: `cdiv` takes 2 arguments, got 1 at column 1"},
    {"abs(1, 2)", "expression `abs(1, 2)`: `abs` takes 1 argument, got 2 at column 1"},
    {"1 if m", "expression `1 if m`: expected `else`, got the end at column 7"},
    {"if", "expression `if`: expected a value, got `if` at column 1"},
    {"m = 3", "expression `m = 3`: unexpected character `=` at column 3"},
};

}  // namespace

TEST_SUITE("kernel.expr") {
  TEST_CASE("an expression has Python's value") {
    for (const ExprCase& c : kValues) {
      CAPTURE(std::string(c.text));
      CHECK(value_or_error(c.text) == std::string(c.want));
    }
  }

  TEST_CASE("a bad expression is named with the column") {
    for (const ExprCase& c : kErrors) {
      CAPTURE(std::string(c.text));
      CHECK(value_or_error(c.text) == std::string(c.want));
    }
  }

  TEST_CASE("the whole error points at the place and says what to write instead") {
    CHECK(to_text(eval_expr("m / n", kNames).error()) ==
          "invalid_argument: expression `m / n`: `/` is not an integer operation at column 3; "
          "use `//` (floor) or `cdiv` (ceiling)\n  m / n\n    ^");
    CHECK(to_text(eval_expr("m + q", kNames).error()) ==
          "invalid_argument: expression `m + q`: unknown name `q` at column 5; "
          "known: k, low, m, n, zero\n  m + q\n      ^");
  }

  TEST_CASE("nesting beyond the limit is refused, long flat chains are not") {
    const std::string open(100, '(');
    CHECK(parse_expr(open + "1" + std::string(100, ')'))
              .error()
              .message.find("nested more than 64 deep at column 66") != std::string::npos);
    CHECK_FALSE(parse_expr(std::string(4000, '-') + "1").has_value());
    std::string chain = "1";
    for (int i = 0; i < 1000; ++i) {
      chain += " + 1";
    }
    CHECK(eval_expr(chain, {}) == 1001);
    CHECK(parse_expr(std::string(5000, ' ')).error().message ==
          "expression of 5000 characters: at most 4096 are allowed");
  }

  TEST_CASE("names are listed once, in order of use") {
    const Result<Expr> expr = parse_expr("cdiv(n, BN) + m*n");
    REQUIRE(expr.has_value());
    CHECK(expr->names() == std::vector<std::string>{"n", "BN", "m"});
  }

  TEST_CASE("reserved words and odd spellings are not identifiers") {
    CHECK(is_identifier("BM_2"));
    for (const char* word : {"", "2m", "a-b", "cdiv", "and", "max", "a b"}) {
      CAPTURE(std::string(word));
      CHECK_FALSE(is_identifier(word));
    }
    CHECK_FALSE(is_identifier(std::string(65, 'a')));
  }
}

}  // namespace ws

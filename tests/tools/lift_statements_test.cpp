// Lambda expressions, and expressions without a value: what becomes a statement of the program, and
// what is told instead.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/number_kernels.h"

namespace ws::test {
namespace {

struct Row {
  std::string body;
  std::string outcome;
  std::string declarations;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.body);
    CHECK(outcome_of_numbers(row.body, row.declarations) == row.outcome);
  }
}

constexpr const char* kComputed = "not understood: a lambda expression that is computed";
constexpr const char* kValue =
    "not understood: a lambda expression that is passed on or kept as a value";

}  // namespace

TEST_SUITE("tools.lift_statements") {
  TEST_CASE("a kernel that lambda expressions make too large is refused, not cut short") {
    std::string body = "auto f0 = [&] { c[i] = 1; };\n";
    for (int depth = 1; depth <= 5; ++depth) {
      body += "auto f" + std::to_string(depth) + " = [&] {";
      for (int call = 0; call < 10; ++call) {
        body += " f" + std::to_string(depth - 1) + "();";
      }
      body += " };\n";
    }
    CHECK(outcome_of_numbers(body + "f5();\nc[i] = a[i];") ==
          "not understood: a kernel of more than 200000 operations, with its functions and each "
          "call of a lambda expression");
  }

  TEST_CASE("a choice of two expressions without a value is a branch") {
    check_rows({
        {"auto f = [&](float v) { c[i] = v; };\n  a[i] > 0 ? f(a[i]) : f(1);", "right", ""},
        {"a[i] > 0 ? f(c, i, a[i]) : f(c, i, 1);", "right",
         "__device__ void f(float* c, int i, float v) { c[i] = v; }"},
        {"s = a[i];\n  i < n - 3 ? (void)(s = 1) : (void)0;\n  c[i] = s;", "right", ""},
        {"s = a[i];\n  x > 1 ? (void)(c[i] = s) : (void)(d[i] = s);", "right", ""},
        {"b[i] > 0 ? (a[i] > 0 ? (void)(s = 1) : (void)(s = 2)) : (void)(s = 3);\n  c[i] = s;",
         "right", ""},
        {"a[i] > 0 && (b[i] > 0 ? (void)(s = 1) : (void)(s = 2), true);\n  c[i] = s;", "right", ""},
        {"assert(n > 0);\n  assert(a[i] < 100);\n  c[i] = a[i];", "right", ""},
    });
  }

  TEST_CASE("a call of a lambda expression may stand in an expression that drops its value") {
    const char* const add = "auto f = [&](float v) { s += v; };\n  ";
    const auto outcome = [&](const std::string& rest) { return outcome_of_numbers(add + rest); };
    CHECK(outcome("f(1), f(a[i]);\n  c[i] = s;") == "right");
    CHECK(outcome("const int j = (f(1), 3);\n  c[i] = s * j + a[i];") == "right");
    CHECK(outcome("a[i] > 0 && (f(1), true);\n  c[i] = s + b[i];") == "right");
    CHECK(outcome("auto g = [&](float v) { s *= 2; return f(v); };\n  s = a[i];\n  g(3);\n"
                  "  c[i] = s;") == "right");
    CHECK(outcome("auto g = [&](auto h) { h(1); h(a[i]); };\n  g(f);\n  c[i] = s;") == "right");
    CHECK(outcome("[&] { s += b[i]; }();\n  c[i] = s;") == "right");
    CHECK(outcome_of_numbers("g(s, a[i]);\n  c[i] = s;",
                             "__device__ void g(float& s, float v) {\n"
                             "  auto f = [&](float w) { s += w; };\n  return f(v);\n}") == "right");
  }

  TEST_CASE(
      "copies that a lambda expression has are the thing itself only if nothing changes them") {
    const char* const part = "struct Part { mutable float v; };";
    check_rows({
        {"const float m = a[i];\n  auto f = [=](float* p) { p[i] = m; };\n  f(c);", "right", ""},
        {"const Part m{1};\n  auto f = [m](float* p, int i) { m.v += 1; p[i] = m.v; };\n"
         "  f(c, i);\n  d[i] = m.v + a[i];",
         "not understood: a lambda expression that copies `m`", part},
        {"const Part m[1] = {{1}};\n  auto f = [m](float* p, int i) { m[0].v += 1; p[i] = m[0].v; "
         "};\n  f(c, i);\n  d[i] = m[0].v + a[i];",
         "not understood: a lambda expression that copies `m`", part},
        {"int j = 1;\n  auto f = [j = j++](float* p) { p[0] = j; };\n  c[i] = a[i] * j;",
         "not understood: a lambda expression that copies `j`", ""},
    });
  }

  TEST_CASE("lambda expressions whose calls are no statements of the kernel are told") {
    const char* const apply = "template <class F> __device__ void apply(F f) { f(1); }";
    check_rows({
        {"auto f = make(d, i);\n  f(c, i);", kComputed,
         "__device__ auto make(float* d, int i) {\n  d[i] = 5;\n"
         "  return [](float* c, int i) { c[i] = 1; };\n}"},
        {"int j = 1;\n  auto f = [&](float v) { s += v; };\n  (j++, f)(a[i]);\n  c[i] = s * j;",
         kComputed, ""},
        {"apply([&](float v) { s += v; });\n  c[i] = s + a[i];", kValue, apply},
        {"auto f = [&](float v) { s += v; };\n  apply(f);\n  c[i] = s + a[i];", kValue, apply},
        {"auto f = [&](auto&& self, int r) -> void {\n    s += a[i];\n    if (r > 0) {\n"
         "      self(self, r - 1);\n      self(self, r - 2);\n    }\n  };\n  f(f, 2);\n  c[i] = s;",
         "not understood: a lambda expression that calls itself", ""},
    });
  }
}

}  // namespace ws::test

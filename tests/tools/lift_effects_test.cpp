// Functions, conditions, steps and objects of classes change more than the value that they give.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/number_kernels.h"

namespace ws::test {
namespace {

struct Row {
  std::string body;
  std::string declarations;
};

void become(const std::string& outcome, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.body);
    CHECK(outcome_of_numbers("  " + row.body, row.declarations) == outcome);
  }
}

constexpr const char* kBump = "__device__ void bump(float& q) { q += 3; }";
constexpr const char* kNoPlace = "an expression that is no place in memory";

}  // namespace

TEST_SUITE("tools.lift_effects") {
  TEST_CASE(
      "what follows `continue` in a loop with its condition at the end is left out there only") {
    become(
        "right",
        {{"for (int r = 0; r < n / 32; ++r) {\n    do {\n      if (a[i] > 0) continue;\n"
          "      s += b[i];\n    } while (0);\n    s += 1;\n  }\n  c[i] = s;",
          ""},
         {"do {\n    if (a[i] > 0) continue;\n    s += b[i];\n  } while (0);\n  c[i] = s + 1;", ""},
         {"int r = 0;\n  do {\n    s += a[i];\n    if (r < 2) continue;\n    s += 1;\n"
          "  } while (++r < 4);\n  c[i] = s;",
          ""}});
  }

  TEST_CASE("the condition and the step of a loop may change more than its variable") {
    become(
        "right",
        {{"int r = 0;\n  while (r++ < 4) s += a[i];\n  c[i] = s + r;", ""},
         {"int q[1] = {0};\n  while (q[0]++ < 4) s += a[i];\n  c[i] = s + q[0];", ""},
         {"int q = 0;\n  int& r = q;\n  for (; r < 4; ++r) s += a[i];\n  c[i] = s + q;", ""},
         {"int q[2] = {0, 0};\n  for (; q[0] < 4; ++q[0]) s += a[i];\n  c[i] = s + q[0];", ""},
         {"struct At { int r; } q{0};\n  for (; q.r < 4; ++q.r) s += a[i];\n  c[i] = s + q.r;", ""},
         {"float q = 0;\n  for (int r = 0; r < 4; bump(q), ++r) s += a[i];\n  c[i] = s + q;",
          kBump},
         {"float q = 0;\n  auto f = [&](float by) { q += by; };\n"
          "  for (int r = 0; r < 4; f(3), ++r) s += a[i];\n  c[i] = s + q;",
          ""}});
    become("a loop whose condition changes something",
           {{"int r = 0;\n  while (r++ < n) s += a[r - 1];\n  c[i] = s + r;", ""},

            {"int r = 0;\n  while (next(r)) s += a[i];\n  c[i] = s + r;",
             "__device__ bool next(int& r) { return r++ < 4; }"}});
  }

  TEST_CASE("what a function gets to change is a place, or the kernel is not lifted") {
    become("right",
           {{"float u = a[i];\n  bump(u);\n  c[i] = u;", kBump},
            {"c[i] = get(same(s)) + a[i];",
             "__device__ float& same(float& q) { return q; }\n"
             "__device__ float get(const float& q) { return q; }"},
            {"c[i] = more(a[i] * 2);", "__device__ float more(float&& q) { q += 3; return q; }"},
            {"c[i] = Part{a[i]}.twice();",
             "struct Part { float u; __device__ float twice() { u *= 2; return u; } };"}});
    become(kNoPlace, {{"float u = 1, w = 2;\n  bump(lane > 4 ? u : w);\n  c[i] = u + w;", kBump},
                      {"float u = 1;\n  bump(u = a[i]);\n  c[i] = u;", kBump},
                      {"float u = 1;\n  bump(++u);\n  c[i] = u + a[i];", kBump},
                      {"float u = 1;\n  bump((s = 2, u));\n  c[i] = u + a[i];", kBump},
                      {"float u = 1;\n  bump(same(u));\n  c[i] = u + a[i];",
                       std::string(kBump) + "\n__device__ float& same(float& q) { return q; }"},
                      {"Sum t{1};\n  t.add(a[i]).add(b[i]);\n  c[i] = t.u;",
                       "struct Sum {\n  float u;\n"
                       "  __device__ Sum& add(float v) { u += v; return *this; }\n};"},
                      {"Sum t{bump(s)};\n  c[i] = s + a[i];",
                       "struct Sum {\n  float u;\n  __device__ Sum(float& v) { v += 1; }\n};\n"
                       "__device__ float& bump(float& q) { return q; }"}});
  }

  TEST_CASE("functions of a class that C++ calls by itself are entered, or told") {
    const std::string end = "struct End { float* p; __device__ ~End() { *p = 7; } };";
    become("not understood: an object with a destructor of its own",
           {{"{\n    End q{&s};\n  }\n  c[i] = s + a[i];", end},
            {"End q[2] = {{&s}, {&s}};\n  c[i] = a[i];", end},
            {"End{c + i};\n  d[i] = a[i];", end}});
    become("not understood: an object with a constructor of its own",
           {{"Part p;\n  Part q = p;\n  c[i] = q.u + a[i];",
             "struct Part {\n  float u;\n  __device__ Part() : u(1) {}\n"
             "  __device__ Part(const Part& o) : u(o.u + 1) {}\n};"},
            {"Pair p;\n  Pair q = p;\n  c[i] = q.part.u + a[i];",
             "struct Part {\n  float u;\n  __device__ Part() : u(1) {}\n"
             "  __device__ Part(const Part& o) : u(o.u + 1) {}\n};\nstruct Pair { Part part; };"}});
    become("right",
           {{"Part p{a[i]};\n  const float q = p;\n  c[i] = q;",
             "struct Part { float u; __device__ operator float() const { return u * 2; } };"},
            {"Pair p{__float2half(a[i]), b[i]};\n  Pair q = p;\n  q.v += 1;\n"
             "  c[i] = __half2float(q.h) + p.v;\n  d[i] = q.v;",
             "struct Pair { half h; float v; };"}});
  }

  TEST_CASE("what an atomic operation gives back is not known") {
    become("a value is used that is not known",
           {{"c[i] = atomicAdd(d + i, 1.0f) + a[i];", ""},
            {"c[i] = (int)atomicAdd(d + i, 1.0f);", ""},
            {"c[i] = atomicAdd(d + i, 1.0f) > 0 ? 1 : a[i];", ""}});
  }
}

}  // namespace ws::test

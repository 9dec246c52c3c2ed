// Kernels with lambda expressions, and memory that is declared as bytes. Each program has to compute what its kernel computes.
#include <doctest/doctest.h>

#include "tests/support/warp_kernels.h"

namespace ws::test {
namespace {

constexpr const char* kFragments =
    "  fragment<matrix_a, 16, 16, 16, half, row_major> x;\n"
    "  fragment<matrix_b, 16, 16, 16, half, row_major> y;\n"
    "  fragment<accumulator, 16, 16, 16, half> sum;\n"
    "  fill_fragment(sum, 0.0);\n";

constexpr const char* kStored =
    "  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);\n";

/// A product whose rounds are what `round` says, with lambda expressions before the loop.
Json by_lambdas(const std::string& lambdas, const std::string& round) {
  return warp_kernel(std::string(kFragments) + lambdas + "  for (int p = 0; p < k; p += 16) {\n" +
                     round + "  }\n" + kStored);
}

/// Copies by cp.async to an array of bytes. @param second  Where in it the part of b begins.
/// @param wait  For the copies.
std::string in_bytes(const std::string& second, const std::string& wait) {
  return "  extern __shared__ char s[];\n" + std::string(kFragments) +
         "  const unsigned first = __cvta_generic_to_shared(s), second = first + " + second +
         ";\n  auto copy = [&](unsigned to, const half* from) {\n"
         "    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(to + lane * "
         "16),\n"
         "                 \"l\"(from));\n  };\n  auto wait = [] { " +
         wait +
         " };\n"
         "  for (int p = 0; p < k; p += 16) {\n"
         "    copy(first, a + (row + lane / 2) * k + p + lane % 2 * 8);\n"
         "    copy(second, b + (p + lane / 2) * n + column + lane % 2 * 8);\n"
         "    wait();\n    __syncthreads();\n"
         "    load_matrix_sync(x, (const half*)s, 16);\n"
         "    load_matrix_sync(y, (const half*)(s + 512), 16);\n"
         "    mma_sync(sum, x, y, sum);\n    __syncthreads();\n  }\n" +
         kStored;
}

}  // namespace

TEST_SUITE("tools.lift_lambdas") {
  TEST_CASE("a call of a lambda expression is the statements of its body") {
    const std::string load =
        "  auto load = [&](int from, const half* left) {\n"
        "    load_matrix_sync(x, left + from, k);\n"
        "    load_matrix_sync(y, b + from * n + column, n);\n  };\n";
    const std::string both =
        "  auto both = [&](int from) {\n    load(from, a + row * k);\n"
        "    mma_sync(sum, x, y, sum);\n    return;\n  };\n";
    right_program(by_lambdas(load + both, "    both(p);\n"));
    // A variable that is captured by copy may not change; a constant does not.
    right_program(
        by_lambdas("  const int at = row * k;\n  auto load = [&, at](auto from) {\n"
                   "    load_matrix_sync(x, a + at + from, k);\n"
                   "    load_matrix_sync(y, b + from * n + column, n);\n  };\n",
                   "    load(p);\n    mma_sync(sum, x, y, sum);\n"));
    CHECK(is_noticed(by_lambdas(load + both, "    both(0);\n")));
  }

  TEST_CASE("a lambda expression may change what is around it, in every call") {
    right_program(by_lambdas(
        "  const half* left = a + row * k;\n  int from = 0;\n  auto load = [&](int by) {\n"
        "    load_matrix_sync(x, left, k);\n"
        "    load_matrix_sync(y, b + from * n + column, n);\n"
        "    left += by;\n    from += by;\n  };\n",
        "    load(16);\n    mma_sync(sum, x, y, sum);\n"));
  }

  TEST_CASE("lambda expressions that are no statements of the kernel are told") {
    const auto reason = [](const std::string& lambda, const std::string& use) {
      return first_reason("  int at = row;\n  auto f = " + lambda + ";\n  at += 1;\n" + use +
                          "  c[at * n + column + lane % 16] = a[at];\n");
    };
    CHECK(reason("[at](half* to) { to[at] = 0; }", "  f(c);\n") ==
          "not understood: a lambda expression that copies `at`");
    CHECK(reason("[to = c + at](int i) { to[i] = 0; }", "  f(lane);\n") ==
          "not understood: a lambda expression that copies `to`");
    CHECK(reason("[&](int i) { if (i > 3) return; c[i] = 0; }", "  f(lane);\n") ==
          "not understood: a lambda expression that returns early");
    CHECK(reason("[&](int i) { return i + at; }", "  at = f(lane);\n") ==
          "not understood: a lambda expression that returns a value");
  }

  TEST_CASE("an array of bytes has elements of the type that is copied to it") {
    const std::string wait = "asm volatile(\"cp.async.wait_all;\");";
    right_program(warp_kernel(in_bytes("512", wait)));
    CHECK(is_noticed(warp_kernel(in_bytes("528", wait))));
    CHECK(first_reason(in_bytes("512", "")) == "`s` is read while a copy to it may be under way");
  }
}

}  // namespace ws::test

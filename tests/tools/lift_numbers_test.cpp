// Numbers that a kernel rounds, cuts or computes in another type than CuIR does by itself.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/number_kernels.h"

namespace ws::test {
namespace {

void are_right(const std::vector<std::string>& bodies) {
  for (const std::string& body : bodies) {
    CAPTURE(body);
    CHECK(outcome_of_numbers("  " + body) == "right");
  }
}

}  // namespace

TEST_SUITE("tools.lift_numbers") {
  TEST_CASE("what all threads have in common is rounded where it becomes a half") {
    are_right({
        "c[i] = __half2float(__float2half(2049.0f)) + a[i];",
        "const half h = __float2half(a[0]);\n  c[i] = __half2float(h) + a[i];",
        "const half h = __float2half(x);\n  c[i] = __half2float(h) + a[i];",
        "c[i] = __bfloat162float(__float2bfloat16(x)) + a[i];",
        "c[i] = __bfloat162float(__float2bfloat16(2049.37f)) + a[i];",
        "const half h = __int2half_rn(n * 17 + 1);\n  c[i] = __half2float(h) + a[i];",
        "c[i] = __float2half(2049.0f) == __float2half(2048.0f) ? a[i] : 2;",
        "const half h = -__float2half(2049.0f);\n  c[i] = __half2float(h) + a[i];",
    });
  }

  TEST_CASE("infinities keep their signs") {
    are_right({"c[i] = fminf(a[i], i < 3 ? __builtin_inff() : 1.0f);",
               "c[i] = fmaxf(a[i], i < 3 ? -__builtin_inff() : 1.0f);"});
  }

  TEST_CASE("what all threads have in common is rounded where it is computed in halves") {
    are_right({
        "half h = __float2half(0.1f);\n  h = h + __float2half(2048.0f);\n"
        "  c[i] = __half2float(h) + a[i];",
        "half h = __float2half(x);\n  h = h * __float2half(0.3f);\n  c[i] = __half2float(h) + "
        "a[i];",
        "half h = __float2half(300.0f);\n  h = h * h;\n  c[i] = __half2float(h) > 1e30f ? 1 : "
        "a[i];",
        "c[i] = __half2float(__hfma(__float2half(x), __float2half(1.0f), __float2half(0.3f))) + "
        "a[i];",
        "c[i] = __half2float(hexp(__float2half(1.1f))) + a[i];",
        "const half h = a[i] > 0 ? __float2half(0.1f) : __float2half(0.7f);\n"
        "  c[i] = __half2float(h * __float2half(b[i]));",
    });
  }

  TEST_CASE("what is not less than a number may be no number") {
    are_right({
        "const float q = sqrtf(a[i]);\n  c[i] = !(q < 1) ? 1 : 2;",
        "const float q = sqrtf(a[i]);\n  if (q < 1) s = 1; else s = 2;\n  c[i] = s;",
        "const float q = sqrtf(a[i]);\n  s = 2;\n  if (!(q < 1 && b[i] > 0)) s = 1;\n  c[i] = s;",
        "const float q = sqrtf(a[i]);\n  if (!(q < 1)) {\n    c[i] = 1;\n    return;\n  }\n  c[i] "
        "= 2;",
    });
  }

  TEST_CASE("small integers keep their low bits, and are computed in 32") {
    are_right({
        "unsigned char q = n * 3 + 7;\n  c[i] = q + a[i];",
        "unsigned char q = lane * 9;\n  c[i] = q + a[i];",
        "unsigned char q = 250;\n  for (int r = 0; r < 10; ++r) ++q;\n  c[i] = q + a[i];",
        "unsigned short q = 65530;\n  q += lane;\n  c[i] = q + a[i];",
        "signed char q = -120;\n  q -= k[i];\n  c[i] = q;",
        "unsigned char q = 200;\n  q += k[i];\n  c[i] = q;",
        "unsigned char q = a[i] > 0 ? 255 : 1;\n  q += 1;\n  c[i] = q;",
        "bool q = a[i] > 0;\n  q += b[i] > 0;\n  c[i] = q;",
    });
    CHECK(outcome_of_numbers("  unsigned char q = lane + 250;\n  c[i] = a[q % 32];") ==
          "`%` of integers that depend on data");
    CHECK(outcome_of_numbers("  struct Bits { unsigned v : 3; } q;\n  q.v = lane;\n"
                             "  c[i] = q.v;") == "`.v` is no field of a plain struct");
  }

  TEST_CASE("an assignment that computes does so in the type of both operands") {
    are_right({
        "int q = k[i];\n  q *= 0.5f;\n  c[i] = q;",
        "int q = lane;\n  q += 0.7;\n  c[i] = q + a[i];",
        "int q = k[i];\n  q *= 100000007LL;\n  c[i] = q;",
        "float q = a[i];\n  q += 1e-9;\n  c[i] = q;",
        "half q = __float2half(a[i]);\n  q *= __float2half(0.1f);\n  c[i] = __half2float(q);",
    });
  }

  TEST_CASE("quotients and shifts of numbers below zero are those of C") {
    are_right({
        "c[i] = (i - 64) / 3 + a[i];",
        "c[i] = (i - 64) % 3 + a[i];",
        "c[i] = (4 - n) / 3 + a[i];",
        "c[i] = (4 - n) % 3 + a[i];",
        "int q = 3;\n  for (int r = 0; r < 4; ++r) q -= 3;\n  c[i] = q / 2 + a[i];",
        "int q = 3;\n  for (int r = 0; r < 4; ++r) q -= 3;\n  c[i] = q % 2 + a[i];",
        "int q = 3;\n  for (int r = 0; r < 4; ++r) q -= 3;\n  c[i] = (q >> 1) + a[i];",
    });
    CHECK(outcome_of_numbers("  c[i] = k[i] + 100 / (4 - n) + a[i];") ==
          "`/` by a number that may be less than zero");
  }

  TEST_CASE("integers of 64 bits have them, and unsigned ones wrap or are not lifted") {
    are_right({
        "c[i] = (float)((long long)i * 100000007LL);",
        "const long long q = a[i] > 0 ? 3000000000LL : 1LL;\n  c[i] = q;",
        "const unsigned q = a[i] > 0 ? 4000000000u : 1u;\n  c[i] = q;",
        "const long long q = 4294967296LL + lane;\n  const int r = (int)q;\n  c[i] = r + a[i];",
        "const long long q = gridDim.x - blockIdx.x - 1;\n  c[i] = a[q * 32 + lane];",
        "unsigned q = 2;\n  for (int r = 0; r < 4; ++r) --q;\n  const long long w = q;\n"
        "  c[i] = w + a[i];",
    });
    CHECK(outcome_of_numbers("  const unsigned q = (unsigned)i * 2654435761u;\n  c[i] = q;") ==
          "an unsigned number that may have wrapped becomes a float");
    CHECK(outcome_of_numbers("  const unsigned q = (unsigned)i * 2654435761u;\n"
                             "  c[i] = a[i] + (q >> 8);") ==
          "`>>` of an unsigned number that may have wrapped");
    CHECK(outcome_of_numbers("  const unsigned q = (unsigned)i * 2654435761u;\n"
                             "  c[i] = q < 1000000u ? a[i] : b[i];") ==
          "`<` of an unsigned number that may have wrapped");
    CHECK(outcome_of_numbers("  const unsigned q = blockIdx.x * 32 - lane;\n"
                             "  const long long r = q;\n  c[i] = r;") ==
          "an unsigned number that may have wrapped becomes a larger one");
  }
}

}  // namespace ws::test

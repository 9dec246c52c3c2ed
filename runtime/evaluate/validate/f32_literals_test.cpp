#include "runtime/evaluate/validate/f32_literals.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("tools.f32_literals") {
  TEST_CASE("floating literals without a suffix are in f32, and nothing else changes") {
    const struct {
      const char* source;
      const char* text;
    } rows[] = {
        {"y = 0.5 * v * (1 + erf(v * 0.70710678118654752));",
         "y = 0.5f * v * (1 + erf(v * 0.70710678118654752f));"},
        {"a = 1. + .5 - 1e-5 + 2E+3 + 1.5e2;", "a = 1.f + .5f - 1e-5f + 2E+3f + 1.5e2f;"},
        {"a = 1.5f + 2.0F + 3.0L + 1e3l;", "a = 1.5f + 2.0F + 3.0L + 1e3l;"},
        {"i = 7 + 0x1e + 0xffu - 0b11 + 1'000 + 12ull;",
         "i = 7 + 0x1e + 0xffu - 0b11 + 1'000 + 12ull;"},
        {"a = 1'000.5 + 0x1p-3 + 0x1.8p3 + 0xe+1;", "a = 1'000.5f + 0x1p-3f + 0x1.8p3f + 0xe+1;"},
        {"x1.y2 = v2[3].z;  // 0.5\n/* 1.5 */ \"2.5\" '.' '\\'' 3.5",
         "x1.y2 = v2[3].z;  // 0.5\n/* 1.5 */ \"2.5\" '.' '\\'' 3.5f"},
        {"#define HALF 0.5", "#define HALF 0.5f"},
        {"/* not closed 0.5", "/* not closed 0.5"},
        {"\"not closed 0.5", "\"not closed 0.5"},
        {"", ""},
    };

    for (const auto& row : rows) {
      CAPTURE(row.source);
      CHECK(with_f32_literals(row.source) == row.text);
    }
  }
}

}  // namespace ws

// Results of honest kernels that are not precise enough: no word of a race, nor of an index.
#include <cmath>

#include "runtime/base/mix64.h"
#include "runtime/judge/test_patterns.h"

namespace ws {
namespace {

struct Honest {
  const char* name;
  std::vector<std::int64_t> shape;
  Right right;
  Broken got;
  DType type = DType::kF32;
  double bound = 1e-5;
};

double drawn(std::int64_t, std::int64_t, double value) {
  return value;
}

/// A number in [-1, 1) that follows from the place.
double noise(std::int64_t row, std::int64_t column) {
  const std::uint64_t bits = mix64(static_cast<std::uint64_t>(row * 100'000 + column));
  return static_cast<double>(bits >> 11U) * 0x1p-52 - 1;
}

/// Rounded to so many significant bits.
double cut(double value, int bits) {
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(part, bits)), exponent - bits);
}

double gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

/// Rows scaled by 4^0 to 4^-8.
double row_scale(std::int64_t row) {
  return std::exp2(-2.0 * static_cast<double>(row % 9));
}

const Honest kHonest[] = {
    {"bf16 on the way",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return cut(w(r, c), 8); }},
    {"tf32 on the way",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return cut(w(r, c), 11); }},
    {"long naive sums",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return w(r, c) + 4e-5 * noise(r, c); }},
    {"one element is off by rounding",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return w(r, c) + (r == 9 && c == 4 ? 3e-5 : 0.0); }},
    {"a running sum that drifts",
     {1, 5000},
     [](auto, auto c, double) { return 100 + 0.01 * static_cast<double>(c); },
     [](auto r, auto c, const Want& w) {
       return w(r, c) + (c > 2500 ? 1e-6 * static_cast<double>(c) * (1.5 + noise(r, c)) : 0.0);
     }},
    {"a smooth result",
     {64, 64},
     [](auto r, auto c, double) { return 50 + 1e-3 * static_cast<double>(r * 64 + c); },
     [](auto r, auto c, const Want& w) { return w(r, c) * (1 + 1e-4 * noise(r, c)); }},
    {"a constant result",
     {64, 64},
     [](auto, auto, double) { return 3.0; },
     [](auto r, auto c, const Want& w) { return w(r, c) * (1 + 1e-4 * noise(r, c)); }},
    {"one row cancels",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return w(r, c) + (r == 12 ? 1e-4 * noise(r, c) : 0.0); }},
    {"the last row cancels",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return w(r, c) + (r == 63 ? 1e-4 * noise(r, c) : 0.0); }},
    {"tanh for erf in rows of unlike scales",
     {64, 64},
     [](auto r, auto, double value) { return gelu(4 * row_scale(r) * value - 3.5); },
     [](auto r, auto c, const Want&) {
       // The same draws as the right values': the seed is 1.
       Random random(1);
       double value = 0;
       for (std::int64_t i = 0; i <= r * 64 + c; ++i) {
         value = random.normal() + 0.25;
       }
       return gelu_tanh(4 * row_scale(r) * value - 3.5);
     }},
    {"an error that does not shrink with the rows",
     {64, 64},
     [](auto r, auto, double value) { return value * row_scale(r); },
     [](auto r, auto c, const Want& w) { return w(r, c) + 5e-6 * (1 + noise(r, c)); }},
    {"f16 results rounded twice",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return cut(w(r, c) * (1 + 2e-3 * noise(r, c)), 11); },
     DType::kF16,
     1e-3},
    {"bf16 results of bf16 sums",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return cut(w(r, c) * (1 + 2e-2 * noise(r, c)), 8); },
     DType::kBf16,
     8e-3},
    {"whole numbers summed in bf16",
     {64, 64},
     [](auto, auto, double value) { return 3000 + std::nearbyint(300 * value); },
     [](auto r, auto c, const Want& w) { return cut(w(r, c), 8); }},
    {"f64 computed in f32",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return cut(w(r, c), 24); },
     DType::kF64,
     1e-12},
    {"coarse everywhere",
     {64, 64},
     drawn,
     [](auto r, auto c, const Want& w) { return w(r, c) + 0.03 * noise(r, c); }},
};

}  // namespace

TEST_SUITE("judge.pattern") {
  TEST_CASE("rounding is never called a race, an index or a place") {
    for (const Honest& kernel : kHonest) {
      const std::string name = kernel.name;
      CAPTURE(name);
      const MismatchPattern found = plant({.shape = kernel.shape,
                                           .broken = kernel.got,
                                           .type = kernel.type,
                                           .right = kernel.right,
                                           .bound = {.rtol = kernel.bound, .atol = kernel.bound}})
                                        .pattern;
      CHECK(found.code == (name == "coarse everywhere" ? "everywhere" : "imprecise"));
      for (const char* word : {"race", "__syncthreads", "off by one", "thread"}) {
        CHECK_MESSAGE(found.hint.find(word) == std::string::npos, found.hint);
      }
    }
  }

  TEST_CASE("a type that is too narrow on the way is named") {
    const auto hint_of = [](int bits) {
      return plant({.shape = {64, 64},
                    .broken = [bits](auto r, auto c, const Want& w) { return cut(w(r, c), bits); },
                    .bound = {.rtol = 1e-5, .atol = 1e-5}})
          .pattern.hint;
    };
    CHECK(hint_of(8) ==
          "this is rounding, not indexing: every wrong value has at most 8 significant bits, so it "
          "went through bf16");
    CHECK(hint_of(11) ==
          "this is rounding, not indexing: every wrong value has at most 11 significant bits, so "
          "it went through f16 or tf32");
  }

  TEST_CASE("whole numbers that differ by whole numbers are no rounding") {
    const MismatchPattern found =
        plant({.shape = {64, 64},
               .broken =
                   [](auto r, auto c, const Want& w) {
                     return w(r, c) + ((r * 31 + c * 17) % 23 == 0 ? 1 + (r + c) % 3 : 0);
                   },
               .right = [](auto, auto, double value) { return 900 + std::nearbyint(20 * value); },
               .bound = {.exact = true}})
            .pattern;
    CHECK(found.code != "imprecise");
  }

  TEST_CASE("scattered errors of a few percent are not blamed on a race") {
    const MismatchPattern found =
        plant({.shape = {64, 64},
               .broken =
                   [](auto r, auto c, const Want& w) {
                     const bool off = mix64(static_cast<std::uint64_t>(r * 64 + c)) % 40 == 0;
                     return w(r, c) + (off ? 0.05 * noise(r, c) : 0.0);
                   }})
            .pattern;
    CHECK(found.code == "scattered");
    CHECK(found.hint ==
          "the errors are small: look for arithmetic that is too coarse, and for a few terms of a "
          "sum that are left out or added twice");
  }
}

}  // namespace ws

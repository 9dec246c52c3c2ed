#include <doctest/doctest.h>

#include "runtime/ir/exec/schedule.h"
#include "runtime/ir/exec/tile_math.h"

namespace ws::ir {
namespace {

std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
  std::vector<double> result(count);
  for (double& x : result) {
    x = static_cast<double>(static_cast<float>(next_random(seed) >> 11U)) * 0x1p-50;
  }
  return result;
}

// Element by element, in the order of k.
template <typename T>
std::vector<double> plainly(const std::vector<double>& a, const std::vector<double>& b,
                            std::vector<double> c, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      T sum = static_cast<T>(c[i * n + j]);
      for (std::size_t p = 0; p < k; ++p) {
        sum += static_cast<T>(a[i * k + p]) * static_cast<T>(b[p * n + j]);
      }
      c[i * n + j] = static_cast<double>(sum);
    }
  }
  return c;
}

TEST_SUITE("ir.multiply") {
  TEST_CASE("a product has the bits of plain loops, whatever its shape") {
    struct Size {
      std::size_t m, n, k;
    };

    for (const Size& s : {Size{64, 64, 64}, Size{1, 1, 1}, Size{3, 5, 7}, Size{4, 8, 2},
                          Size{5, 33, 9}, Size{17, 16, 1}, Size{2, 40, 3}, Size{8, 16, 0}}) {
      CAPTURE(s.m);
      CAPTURE(s.n);
      CAPTURE(s.k);
      const std::vector<double> a = numbers(s.m * s.k, 1);
      const std::vector<double> b = numbers(s.k * s.n, 2);
      const std::vector<double> c = numbers(s.m * s.n, 3);
      std::vector<double> f64 = c;
      multiply(a, b, f64, s.m, s.n, s.k, false);
      CHECK(f64 == plainly<double>(a, b, c, s.m, s.n, s.k));
      std::vector<double> f32 = c;
      multiply(a, b, f32, s.m, s.n, s.k, true);
      CHECK(f32 == plainly<float>(a, b, c, s.m, s.n, s.k));
    }
  }
}

}  // namespace
}  // namespace ws::ir

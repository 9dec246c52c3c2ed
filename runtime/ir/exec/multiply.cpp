// The product of tiles. A block of the result stays in registers while k runs; every element is
// summed in the order of k, in a block and at the edges, so that results do not depend on shapes or
// on the machine. No multiplication is fused with its addition, for the same reason.
#include <algorithm>
#include <cstring>

#include "runtime/ir/exec/tile_math.h"

namespace ws::ir {
namespace {

constexpr std::size_t kRows = 4;
constexpr std::size_t kVectors =
    2;  // Vectors in a row of the block: with kRows, eight accumulators.

template <typename T>
struct Product {
  const T* a;
  const T* b;
  T* c;
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

template <typename T>
void multiply_element(const Product<T>& of, std::size_t i, std::size_t j) {
  T sum = of.c[i * of.n + j];
  for (std::size_t p = 0; p < of.k; ++p) {
    sum += of.a[i * of.k + p] * of.b[p * of.n + j];
  }
  of.c[i * of.n + j] = sum;
}

// Rows i to i + kRows - 1, kVectors vectors of `Bytes` bytes from column j on.
template <typename T, std::size_t Bytes>
[[gnu::always_inline]] inline void multiply_block(const Product<T>& of, std::size_t i,
                                                  std::size_t j) {
  using Vector [[gnu::vector_size(Bytes)]] = T;
  Vector sums[kRows][kVectors];
  for (std::size_t y = 0; y < kRows; ++y) {
    std::memcpy(sums[y], of.c + (i + y) * of.n + j, sizeof sums[y]);
  }
  for (std::size_t p = 0; p < of.k; ++p) {
    Vector line[kVectors];
    std::memcpy(line, of.b + p * of.n + j, sizeof line);
    for (std::size_t y = 0; y < kRows; ++y) {
      const T left = of.a[(i + y) * of.k + p];
      for (std::size_t x = 0; x < kVectors; ++x) {
        sums[y][x] += left * line[x];
      }
    }
  }
  for (std::size_t y = 0; y < kRows; ++y) {
    std::memcpy(of.c + (i + y) * of.n + j, sums[y], sizeof sums[y]);
  }
}

template <typename T, std::size_t Bytes>
[[gnu::always_inline]] inline void multiply_tile(const Product<T>& of) {
  constexpr std::size_t columns = kVectors * Bytes / sizeof(T);
  const std::size_t rows = of.m / kRows * kRows;
  const std::size_t whole = of.n / columns * columns;
  for (std::size_t i = 0; i < rows; i += kRows) {
    for (std::size_t j = 0; j < whole; j += columns) {
      multiply_block<T, Bytes>(of, i, j);
    }
  }
  for (std::size_t i = 0; i < of.m; ++i) {
    for (std::size_t j = i < rows ? whole : 0; j < of.n; ++j) {
      multiply_element(of, i, j);
    }
  }
}

#ifdef __x86_64__
template <typename T>
[[gnu::target("avx2")]] void multiply_wide(const Product<T>& of) {
  multiply_tile<T, 32>(of);
}
#endif

template <typename T>
void multiply_here(const Product<T>& of) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) {
    multiply_wide(of);
    return;
  }
#endif
  multiply_tile<T, 16>(of);
}

}  // namespace

void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c,
              std::size_t m, std::size_t n, std::size_t k, bool single) {
  if (!single) {
    multiply_here(Product<double>{a.data(), b.data(), c.data(), m, n, k});
    return;
  }
  const auto narrow = [](std::span<const double> from) {
    std::vector<float> to(from.size());
    std::transform(from.begin(), from.end(), to.begin(),
                   [](double x) { return static_cast<float>(x); });
    return to;
  };
  const std::vector<float> left = narrow(a);
  const std::vector<float> right = narrow(b);
  std::vector<float> sums = narrow(c);
  multiply_here(Product<float>{left.data(), right.data(), sums.data(), m, n, k});
  std::copy(sums.begin(), sums.end(), c.begin());
}

}  // namespace ws::ir

#include "runtime/skills/loop_nest.h"

#include <string>

#include <doctest/doctest.h>

namespace ws {
namespace {

struct NestCase {
  const char* name;
  const char* body;
  std::optional<bool> sums;
  std::optional<bool> shares;
  std::optional<bool> products;
};

constexpr std::nullopt_t kUnknown = std::nullopt;

const NestCase kNests[] = {
    {"matrix product",
     "float sum = 0; for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n "
     "+ col]; c[row * n + col] = sum;",
     true, true, true},
    {"batched product by fmaf",
     "for (int i = 0; i < k; i++) { float x = a[(z * m + row) * k + i]; sum = fmaf(x, b[(z * k + "
     "i) "
     "* n + col], sum); } c[o] = sum;",
     true, true, true},
    {"convolution with places of its own",
     "for (int u = 0; u < r; ++u) { for (int v = 0; v < s; ++v) { const int y = oy + u - 1; const "
     "int x = ox + v - 1; if (y >= 0 && x >= 0) { sum += in[y * w + x] * filter[u * s + v]; } } } "
     "out[o] = sum;",
     true, true, true},
    {"tiles in shared memory, sums in registers",
     "for (int i = 0; i < BK; ++i) { for (int r = 0; r < TM; ++r) { a_part[r] = As[r][i]; } for "
     "(int r = 0; r < TM; ++r) acc[r] += a_part[r] * Bs[i][tx]; }",
     true, true, true},
    {"maximum", "for (int i = t; i < n; i += 256) { most = fmaxf(most, x[i]); }", true, true,
     false},
    {"histogram by a counter", "for (int i = 0; i < n; ++i) { count += x[i] == bin; }", true, true,
     false},
    {"stencil without a loop", "y[i] = x[i - 1] + x[i] + x[i + 1];", false, kUnknown, false},
    {"one element a thread", "c[i] = a[i] + b[i];", false, false, false},
    {"grid stride", "for (int i = first; i < n; i += gridDim.x * 256) { c[i] = a[i] + b[i]; }",
     false, false, false},
    {"in place, in a loop over the place",
     "for (int i = first; i < n; i += 256) { y[i] += x[i] * 2; }", false, false, false},
    {"a comment and a directive are no loop",
     "// for (;;) sum += a[i];\n#define L for (int i = 0; i < 3; ++i) s += a[i]\nc[i] = 1;", false,
     false, false},
    {"a pointer that walks", "for (int i = 0; i < n; ++i) { sum += *p; ++p; }", kUnknown, kUnknown,
     kUnknown},
    {"a call that reads", "for (int i = 0; i < n; ++i) { sum += load(i); }", kUnknown, kUnknown,
     kUnknown},
    {"matrix instructions", "for (int i = 0; i < n; ++i) { ws::mma_f16(c, a, b); }", kUnknown,
     kUnknown, kUnknown},
    {"brackets that are not closed", "for (int i = 0; i < n; ++i) { sum += a[i", true, true, false},
};

}  // namespace

TEST_SUITE("skills.loop_nest") {
  TEST_CASE("the loops decide, and where the text does not tell nothing is claimed") {
    for (const NestCase& c : kNests) {
      CAPTURE(c.name);
      Kernel kernel;
      kernel.source = std::string("__global__ void k() {\n") + c.body + "\n}\n";
      CHECK(has_loop(kernel, LoopNeed::kSums) == c.sums);
      CHECK(has_loop(kernel, LoopNeed::kShares) == c.shares);
      CHECK(has_loop(kernel, LoopNeed::kProducts) == c.products);
    }
  }
}

}  // namespace ws

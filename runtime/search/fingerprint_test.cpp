#include "runtime/search/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "runtime/search/tokens.h"

namespace ws {
namespace {

constexpr const char* kSum = R"(
__global__ void sum(const float* x, float* y, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = i; k < n; k += gridDim.x * blockDim.x) s += x[k];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int width = 128; width > 0; width /= 2) {
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(y, part[0]);
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

double share(const std::string& a, const std::string& b) {
  return jaccard(token_runs(a), token_runs(b));
}

struct Case {
  const char* name;
  const char* a;
  const char* b;
  bool same;  ///< Their tokens are.
};

// clang-format off
constexpr Case kCases[] = {
    {"a comment", "x = 1; // one", "x = 1;", true},
    {"a comment over lines", "x /* a\n b */ = 1;", "x=1;", true},
    {"a comment that does not end", "x = 1; /* x", "x = 1;", true},
    {"a local name", "int row = 3;", "int r2 = 3;", true},
    {"a number", "int row = 3;", "int row = 0x40u;", true},
    {"a number with an exponent", "a = 1.5e-3f + b;", "a = 2 + b;", true},
    {"a parameter in place of a number", "int t[@TILE@];", "int t[32];", true},
    {"a text", "f(\"a // b\");", "f(\"\\\"\");", true},
    {"a function that is declared there", "float sq(float x); y = sq(x);", "float s2(float x); y = s2(x);", true},
    {"a type", "int row = 3;", "float row = 3;", false},
    {"an intrinsic", "y = expf(x);", "y = logf(x);", false},
    {"a warp operation", "__shfl_xor_sync(m, v, 1);", "__shfl_down_sync(m, v, 1);", false},
    {"an operator", "a + b", "a - b", false},
    {"one token and none", "x", "", false},
};
// clang-format on

}  // namespace

TEST_SUITE("search.fingerprint") {
  TEST_CASE("tokens leave out what does not change the program, and nothing else") {
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      CHECK((normal_tokens(c.a) == normal_tokens(c.b)) == c.same);
    }
  }

  TEST_CASE("tokens cover the source but for white space and comments") {
    std::string text;
    for (const RawToken& token : raw_tokens("a1 += .5e+3f*b[@T@]; // c\n\"d e\" '\\''@")) {
      text += std::string(token.text) + "|";
    }
    CHECK(text == "a1|+|=|.5e+3f|*|b|[|@T@|]|;|\"d e\"|'\\''|@|");
  }

  TEST_CASE("a renamed and retiled kernel has the same runs, another kernel few of them") {
    const std::string renamed =
        replaced(replaced(replaced(kSum, "part", "tile"), "width", "step"), "256", "@BLOCK@");
    CHECK(runs_hash(token_runs(renamed)) == runs_hash(token_runs(kSum)));
    const std::string other =
        "__global__ void copy(const half* a, half* b) { b[threadIdx.x] = __ldg(a + 1); }";
    CHECK(share(kSum, other) < 0.1);
    CHECK(runs_hash(token_runs(other)) != runs_hash(token_runs(kSum)));
  }

  TEST_CASE("swapped statements leave most runs as they are") {
    const std::string swapped = replaced(replaced(kSum, "  float s = 0;\n", ""), "  __shared__",
                                         "  float s = 0;\n  __shared__");
    const double exact = share(kSum, swapped);
    CHECK(exact > 0.7);
    CHECK(exact < 1);
    const double estimate =
        likeness(signature_of(token_runs(kSum)), signature_of(token_runs(swapped)));
    CHECK(estimate > exact - 0.15);
    CHECK(estimate < exact + 0.15);
  }

  TEST_CASE("the estimate is near the exact share for any share") {
    for (const std::size_t common : {0U, 50U, 250U, 400U, 500U}) {
      std::vector<std::uint64_t> a;
      std::vector<std::uint64_t> b;
      for (std::uint64_t i = 0; i < 500; ++i) {
        a.push_back(i * 0x9e3779b97f4a7c15U);
        b.push_back((i < common ? i : i + 1000) * 0x9e3779b97f4a7c15U);
      }
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      CAPTURE(common);
      const double exact = jaccard(a, b);
      CHECK(exact ==
            doctest::Approx(static_cast<double>(common) / static_cast<double>(1000 - common)));
      CHECK(std::abs(likeness(signature_of(a), signature_of(b)) - exact) < 0.16);
    }
  }

  TEST_CASE("sources of no and of one token have their own answers") {
    CHECK(token_runs("").empty());
    CHECK(token_runs(" // nothing").empty());
    CHECK(token_runs("x").size() == 1);
    CHECK(jaccard(token_runs("x"), {}) == 0);
    CHECK(share("x", "y") == 1);
    CHECK(share("x", "+") == 0);
  }

  TEST_CASE("equal signatures meet in every band, and each band is another one") {
    const Signature signature = signature_of(token_runs(kSum));
    const auto bands = bands_of(signature);
    CHECK(std::set<std::uint32_t>(bands.begin(), bands.end()).size() == kBands);
    Signature other = signature;
    ++other.front();
    const auto changed = bands_of(other);
    CHECK(changed.front() != bands.front());
    CHECK(std::equal(changed.begin() + 1, changed.end(), bands.begin() + 1));
  }
}

}  // namespace ws

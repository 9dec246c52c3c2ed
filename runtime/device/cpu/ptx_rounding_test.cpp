// Inline PTX on the CPU engine: arithmetic that does not round to nearest.
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

struct Way {
  const char* name;
  int mode;
};

constexpr std::array kWays = {Way{"rz", FE_TOWARDZERO}, Way{"rm", FE_DOWNWARD},
                              Way{"rp", FE_UPWARD}, Way{"rn", FE_TONEAREST}};

struct Operation {
  const char* text;  ///< `?` is the way and the type.
  double (*on_doubles)(double, double, double);
  float (*on_floats)(float, float, float);
};

template <typename Number>
Number kept(Number value) {
  const volatile Number stored = value;  // The compiler does not compute it elsewhere.
  return stored;
}

#define WS_OPERATION(text, expression)               \
  Operation {                                        \
    text,                                            \
        [](double a, double b, double c) -> double { \
          (void)b, (void)c;                          \
          return kept(expression);                   \
        },                                           \
        [](float a, float b, float c) -> float {     \
          (void)b, (void)c;                          \
          return kept(expression);                   \
        }                                            \
  }
constexpr std::array kOperations = {
    WS_OPERATION("add.? r, a, b;", kept(a) + kept(b)),
    WS_OPERATION("sub.? r, a, b;", kept(a) - kept(b)),
    WS_OPERATION("mul.? r, a, b;", kept(a) * kept(b)),
    WS_OPERATION("div.? r, a, b;", kept(a) / kept(b)),
    WS_OPERATION("fma.? r, a, b, c;", std::fma(kept(a), kept(b), kept(c))),
    WS_OPERATION("sqrt.? r, a;", std::sqrt(kept(a))),
    WS_OPERATION("rcp.? r, a;", 1 / kept(a)),
};
#undef WS_OPERATION

/// Numbers of all sizes, some of them at the edges.
template <typename Number>
std::vector<Number> numbers(std::size_t count) {
  using Limits = std::numeric_limits<Number>;
  std::vector<Number> made = {0,
                              -Number{0},
                              Limits::infinity(),
                              Limits::max(),
                              -Limits::max(),
                              Limits::min(),
                              Limits::denorm_min(),
                              1,
                              3,
                              -7};
  std::uint64_t state = 0x9e3779b97f4a7c15ULL;
  while (made.size() < count) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto size = static_cast<int>(state >> 59U) - 16;
    made.push_back(static_cast<Number>(
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(state << 3U)), size - 60)));
  }
  return made;
}

std::string text_of(const Operation& operation, const std::string& way, const std::string& type) {
  std::string text = operation.text;
  return text.replace(text.find('?'), 1, way + "." + type);
}

template <typename Number>
std::string source_of(const char* type, const char* letter, const char* ptx) {
  std::string source = std::string("__global__ void k(const ") + type + "* in, " + type +
                       "* out) {\n  int t = threadIdx.x;\n  " + type +
                       " a = in[t], b = in[t + 1], c = in[t + 2], r;\n";
  std::size_t index = 0;
  for (const Operation& operation : kOperations) {
    for (const Way& way : kWays) {
      source += "  asm volatile(\"{ .reg ." + std::string(ptx) + " r, a, b, c; mov." + ptx +
                " a, %1; mov." + ptx + " b, %2; mov." + ptx + " c, %3; " +
                text_of(operation, way.name, ptx) + " mov." + ptx + " %0, r; }\" : \"=" + letter +
                "\"(r) : \"" + letter + "\"(a), \"" + letter + "\"(b), \"" + letter +
                "\"(c));\n  out[" + std::to_string(index++) + " * 256 + t] = r;\n";
    }
  }
  return source + "}\n";
}

template <typename Number>
void check_rounding(DType dtype, const std::string& source) {
  constexpr std::size_t kThreads = 256;
  constexpr std::size_t kResults = kOperations.size() * kWays.size();
  const std::vector<Number> in = numbers<Number>(kThreads + 2);
  for (const Build build : {Build::kFast, Build::kBounds}) {
    EngineRun run;
    run.source = source;
    run.entry = "k";
    run.build = build;
    run.block = {kThreads, 1, 1};
    run.buffers = {buffer_of("in", dtype, static_cast<std::int64_t>(in.size())),
                   buffer_of("out", dtype, static_cast<std::int64_t>(kThreads * kResults))};
    const EngineResult result = run_engine(run, [&](EngineResult& made) {
      std::copy(in.begin(), in.end(), made.buffer<Number>(0).begin());
    });
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const auto out = result.buffer<Number>(1);
    std::size_t index = 0;
    for (const Operation& operation : kOperations) {
      for (const Way& way : kWays) {
        CAPTURE(std::string(operation.text));
        CAPTURE(std::string(way.name));
        std::fesetround(way.mode);
        std::vector<Number> want(kThreads);
        for (std::size_t t = 0; t < kThreads; ++t) {
          if constexpr (sizeof(Number) == sizeof(double)) {
            want[t] = operation.on_doubles(in[t], in[t + 1], in[t + 2]);
          } else {
            want[t] = operation.on_floats(in[t], in[t + 1], in[t + 2]);
          }
        }
        std::fesetround(FE_TONEAREST);
        std::size_t wrong = 0;
        for (std::size_t t = 0; t < kThreads; ++t) {
          const Number got = out[index * kThreads + t];
          const bool same = std::isnan(want[t])
                                ? std::isnan(got)
                                : got == want[t] && std::signbit(got) == std::signbit(want[t]);
          wrong += same ? 0 : 1;
        }
        CHECK(wrong == 0);
        ++index;
      }
    }
  }
}

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("numbers are rounded towards zero, down and up, to the last bit") {
    check_rounding<float>(DType::kF32, source_of<float>("float", "f", "f32"));
    check_rounding<double>(DType::kF64, source_of<double>("double", "d", "f64"));
  }
}

}  // namespace ws::test

// Inline PTX on the CPU engine: arithmetic that does not round to nearest, and numbers of few bits.
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

/// The results of one asm statement, whose `%1` and `%2` are the words of each thread.
std::vector<std::uint32_t> run_words(const std::string& text,
                                     const std::vector<std::uint32_t>& in) {
  EngineRun run;
  run.source =
      "__global__ void k(const unsigned* in, unsigned* out) {\n  unsigned t = threadIdx.x + "
      "blockIdx.x * 256, r = 0;\n  asm volatile(\"" +
      text + "\" : \"+r\"(r) : \"r\"(in[t]), \"r\"(in[t + 1]));\n  out[t] = r;\n}\n";
  run.entry = "k";
  run.block = {256, 1, 1};
  run.grid = {static_cast<std::int64_t>(in.size() / 256), 1, 1};
  const auto elements = static_cast<std::int64_t>(in.size() + 1);
  run.buffers = {buffer_of("in", DType::kI32, elements), buffer_of("out", DType::kI32, elements)};
  const EngineResult result = run_engine(run, [&](EngineResult& made) {
    std::copy(in.begin(), in.end(), made.buffer<std::uint32_t>(0).begin());
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  const auto out = result.buffer<std::uint32_t>(1);
  return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(in.size())};
}

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// As the type's definition says: to nearest, no further than the largest one.
std::uint32_t to_8_bits(DType type, float value) {
  if (std::isnan(value)) {
    return std::signbit(value) ? 0xff : 0x7f;
  }
  const double most = max_finite(type);
  std::uint8_t byte = 0;
  store_element(type, &byte, 0, std::clamp(static_cast<double>(value), -most, most));
  return byte;
}

/// Floats around all that 8 bits can say, and beyond.
std::vector<std::uint32_t> floats_near(DType type) {
  std::vector<std::uint32_t> made;
  for (unsigned code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    const auto value = static_cast<float>(load_element(type, &byte, 0));
    for (const float factor : {1.0F, 1.03125F, 1.0625F, 1.09F, 0.97F, 1.2F, 0.5F, 1e6F}) {
      made.push_back(bits(value * factor));
    }
  }
  return made;
}

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("numbers are rounded towards zero, down and up, to the last bit") {
    check_rounding<float>(DType::kF32, source_of<float>("float", "f", "f32"));
    check_rounding<double>(DType::kF64, source_of<double>("double", "d", "f64"));
  }

  TEST_CASE("pairs of 8-bit floats are made as their types say") {
    for (const DType type : {DType::kF8e4m3, DType::kF8e5m2}) {
      const std::string name = type == DType::kF8e4m3 ? "e4m3x2" : "e5m2x2";
      CAPTURE(name);
      const std::vector<std::uint32_t> in = floats_near(type);
      const auto got = run_words(
          "{ .reg .b16 h; .reg .f32 a, b; mov.b32 a, %1; mov.b32 b, %2; "
          "cvt.rn.satfinite." +
              name + ".f32 h, a, b; cvt.u32.u16 %0, h; }",
          in);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i + 1 < in.size(); ++i) {
        const std::uint32_t want = to_8_bits(type, std::bit_cast<float>(in[i])) << 8U |
                                   to_8_bits(type, std::bit_cast<float>(in[i + 1]));
        wrong += got[i] == want ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("pairs of 8-bit floats become halves and come back") {
    std::vector<std::uint32_t> in;
    for (std::uint32_t code = 0; code < 256; ++code) {
      in.push_back(code << 8U | (255 - code));
    }
    for (const DType type : {DType::kF8e4m3, DType::kF8e5m2}) {
      const std::string name = type == DType::kF8e4m3 ? "e4m3x2" : "e5m2x2";
      CAPTURE(name);
      const auto halves =
          run_words("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.rn.f16x2." + name + " %0, h; }", in);
      const auto back =
          run_words("{ .reg .b16 h; .reg .b32 w; cvt.u16.u32 h, %1; cvt.rn.f16x2." + name +
                        " w, h; cvt.rn.satfinite." + name + ".f16x2 h, w; cvt.u32.u16 %0, h; }",
                    in);
      for (std::size_t i = 0; i < in.size(); ++i) {
        CAPTURE(i);
        for (const unsigned half : {0U, 1U}) {
          const auto byte = static_cast<std::uint8_t>(in[i] >> (8 * half));
          const auto bits16 = static_cast<std::uint16_t>(halves[i] >> (16 * half));
          const double want = load_element(type, &byte, 0);
          const double got = load_element(DType::kF16, &bits16, 0);
          CHECK((std::isnan(want) ? std::isnan(got) : got == want));
          if (std::isfinite(want)) {
            CHECK(static_cast<std::uint8_t>(back[i] >> (8 * half)) == byte);
          }
        }
      }
    }
  }

  TEST_CASE("floats become tf32 in each way that PTX has") {
    struct Case {
      const char* way;
      std::uint32_t in;
      std::uint32_t want;
    };

    constexpr Case kCases[] = {
        {"rna", 0x3f801000, 0x3f802000},
        {"rna", 0xbf801000, 0xbf802000},
        {"rna", 0x3f800fff, 0x3f800000},
        {"rn", 0x3f801000, 0x3f800000},
        {"rn", 0x3f803000, 0x3f804000},
        {"rn", 0x3f801001, 0x3f802000},
        {"rz", 0x3f801fff, 0x3f800000},
        {"rna", 0x7f7fffff, 0x7f800000},
        {"rna", 0x7f800000, 0x7f800000},
        {"rna", 0x7fc00001, 0x7fffffff},
        {"rna.satfinite", 0x7f7fffff, 0x7f7fe000},
        {"rna.satfinite", 0xff800000, 0xff7fe000},
    };
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.way));
      CAPTURE(c.in);
      const auto got = run_words(
          "{ .reg .f32 a; mov.b32 a, %1; cvt." + std::string(c.way) + ".tf32.f32 %0, a; }",
          std::vector<std::uint32_t>(256, c.in));
      CHECK(got[0] == c.want);
    }
  }
}

}  // namespace ws::test

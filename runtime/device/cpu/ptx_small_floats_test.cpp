// Inline PTX on the CPU engine: conversions to numbers of few bits, and from them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

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
        {"rn.relu", 0xbf801000, 0},
        {"rz.relu", 0xff800000, 0},
        {"rn.relu", 0x3f803000, 0x3f804000},
        {"rz.relu", 0x7fc00001, 0x7fffffff},
        {"rn.satfinite.relu", 0x7f800000, 0x7f7fe000},
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

  TEST_CASE("floats become halves that go no further than the largest one") {
    struct Case {
      const char* conversion;
      std::uint32_t in;  ///< The upper half's float; the lower one is 1.
      std::uint32_t want;
    };

    const Case kCases[] = {
        {"cvt.rn.satfinite.f16x2.f32", bits(1e6F), 0x7bff3c00},
        {"cvt.rn.satfinite.f16x2.f32", bits(-65519.0F), 0xfbff3c00},
        {"cvt.rz.satfinite.f16x2.f32", 0xff800000, 0xfbff3c00},
        {"cvt.rn.f16x2.f32", bits(1e6F), 0x7c003c00},
        {"cvt.rn.satfinite.bf16x2.f32", 0x7f800000, 0x7f7f3f80},
        {"cvt.rn.satfinite.bf16x2.f32", 0xff7fffff, 0xff7f3f80},
        {"cvt.rn.relu.satfinite.bf16x2.f32", 0xff7fffff, 0x3f80},
        {"cvt.rn.relu.f16x2.f32", bits(-2.0F), 0x3c00},
    };
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.conversion));
      CAPTURE(c.in);
      const auto got = run_words(
          "{ .reg .f32 a; mov.b32 a, %1; " + std::string(c.conversion) + " %0, a, 0f3F800000; }",
          std::vector<std::uint32_t>(256, c.in));
      CHECK(got[0] == c.want);
    }
  }
}

}  // namespace ws::test

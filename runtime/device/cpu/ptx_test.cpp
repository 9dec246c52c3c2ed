// Inline PTX on the CPU engine: instructions of numbers and bits, compared with what C++ computes.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

namespace {

/// One `asm` whose result and sources are words, or pairs of words as one of 64 bits.
struct WordCase {
  const char* text;  ///< `%0` is the result, `%1` to `%3` are sources.
  std::uint64_t want;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
};

/// Runs each case's text in one kernel. @return Its results.
std::vector<std::uint64_t> run_cases(const std::vector<WordCase>& cases, char letter) {
  const std::string type = letter == 'l' ? "unsigned long long" : "unsigned";
  std::string source =
      "__global__ void k(const unsigned long long* in, unsigned long long* out) {\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string at = "in[" + std::to_string(3 * i);
    source += "  { " + type + " r = 0, a = (" + type + ")" + at + "], b = (" + type + ")" + at +
              " + 1], c = (" + type + ")" + at + " + 2];\n    asm volatile(\"" + cases[i].text +
              "\" : \"+" + letter + "\"(r) : \"" + letter + "\"(a), \"" + letter + "\"(b), \"" +
              letter + "\"(c));\n    out[" + std::to_string(i) + "] = r; }\n";
  }
  EngineRun run;
  run.source = source + "}\n";
  run.entry = "k";
  run.buffers = {buffer_of("in", DType::kI64, static_cast<std::int64_t>(3 * cases.size())),
                 buffer_of("out", DType::kI64, static_cast<std::int64_t>(cases.size()))};
  const EngineResult result = run_engine(run, [&](EngineResult& made) {
    const auto in = made.buffer<std::uint64_t>(0);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      in[3 * i] = cases[i].a;
      in[3 * i + 1] = cases[i].b;
      in[3 * i + 2] = cases[i].c;
    }
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  const auto out = result.buffer<std::uint64_t>(1);
  return {out.begin(), out.end()};
}

void check_cases(const std::vector<WordCase>& cases, char letter) {
  const std::vector<std::uint64_t> got = run_cases(cases, letter);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(std::string(cases[i].text));
    CHECK(got[i] == cases[i].want);
  }
}

std::uint64_t word(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint64_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

constexpr std::uint64_t kHalfOne = 0x3c00;
constexpr std::uint64_t kHalfTwo = 0x4000;

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("integers are added, multiplied and divided as PTX says") {
    check_cases(
        {
            {"add.u32 %0, %1, %2;", 2, 0xffffffff, 3},
            {"add.sat.s32 %0, %1, %2;", 0x7fffffff, 0x7fffffff, 3},
            {"sub.s32 %0, %1, %2;", word(-1), 2, 3},
            {"sub.sat.s32 %0, %1, %2;", 0x80000000, 0x80000000, 3},
            {"mul.lo.u32 %0, %1, %2;", word(0xfffffffe), 0xffffffff, 2},
            {"mul.hi.u32 %0, %1, %2;", 1, 0xffffffff, 2},
            {"mul.hi.s32 %0, %1, %2;", word(-1), 0xffffffff, 2},
            {"mad.lo.s32 %0, %1, %2, %3;", 17, 3, 4, 5},
            {"mad.hi.u32 %0, %1, %2, %3;", 9, 0x80000000, 8, 5},
            {"mad.hi.sat.s32 %0, %1, %2, %3;", 0x7fffffff, 0x40000000, 8, 0x7fffffff},
            {"div.u32 %0, %1, %2;", 0x7fffffff, 0xffffffff, 2},
            {"div.s32 %0, %1, %2;", word(-2), word(-5), 2},
            {"rem.s32 %0, %1, %2;", word(-1), word(-5), 2},
            {"div.s32 %0, %1, %2;", 0x80000000, 0x80000000, word(-1)},
            {"rem.s32 %0, %1, %2;", 0, 0x80000000, word(-1)},
            {"rem.u32 %0, %1, 7;", 2, 9},
            {"{ .reg .b64 w; mul.wide.u32 w, %1, %2; shr.u64 w, w, 32; cvt.u32.u64 %0, w; }", 1,
             0xffffffff, 2},
            {"{ .reg .b64 w; cvt.s64.s32 w, %3; mad.wide.s32 w, %1, %2, w; cvt.u32.u64 %0, w; }",
             11, word(-3), word(-4), word(-1)},
            {"{ .reg .b16 h; cvt.u16.u32 h, %1; add.u16 h, h, 1; cvt.u32.u16 %0, h; }", 0, 0xffff},
            {"neg.s32 %0, %1;", word(-9), 9},
            {"abs.s32 %0, %1;", 9, word(-9)},
            {"min.s32 %0, %1, %2;", word(-9), word(-9), 3},
            {"min.u32 %0, %1, %2;", 3, word(-9), 3},
            {"max.s32 %0, %1, %2;", 3, word(-9), 3},
            {"max.u32 %0, %1, -9;", word(-9), 3},
            {"mul24.lo.u32 %0, %1, %2;", 15, 0x1000003, 5},
            {"mul24.hi.s32 %0, %1, %2;", word(-1), 0xffffff, 5},
            {"mad24.lo.s32 %0, %1, %2, %3;", word(-3), 0xffffff, 5, 2},
            {"sad.s32 %0, %1, %2, %3;", 17, word(-3), 4, 10},
            {"sad.u32 %0, %1, %2, %3;", 11, 5, 4, 10},
            {"dp4a.u32.u32 %0, %1, %2, %3;", 80, 0x01020304, 0x05060708, 10},
            {"dp4a.s32.u32 %0, %1, %2, %3;", word(10 - 8), 0xff, 12, 14},
            {"dp2a.lo.s32.s32 %0, %1, %2, %3;", 14, 0x00020003, 0x0000ff05, 1},
            {"dp2a.hi.s32.s32 %0, %1, %2, %3;", 14, 0x00020003, 0xff050000, 1},
        },
        'r');
  }

  TEST_CASE("bits are combined, shifted, taken out and counted as PTX says") {
    check_cases(
        {
            {"and.b32 %0, %1, %2;", 8, 12, 10},
            {"or.b32 %0, %1, %2;", 14, 12, 10},
            {"xor.b32 %0, %1, %2;", 6, 12, 10},
            {"not.b32 %0, %1;", word(~12), 12},
            {"cnot.b32 %0, %1;", 1, 0},
            {"cnot.b32 %0, %1;", 0, 7},
            {"shl.b32 %0, %1, %2;", 0x80000000, 1, 31},
            {"shl.b32 %0, %1, %2;", 0, 1, 32},
            {"shr.u32 %0, %1, %2;", 0, 0x80000000, 99},
            {"shr.s32 %0, %1, %2;", word(-1), 0x80000000, 99},
            {"shr.s32 %0, %1, 4;", 0xf8000000, 0x80000000},
            {"shf.l.wrap.b32 %0, %1, %2, %3;", 0x23, 0x30000000, 2, 4},
            {"shf.r.clamp.b32 %0, %1, %2, %3;", 2, 0x30000000, 2, 40},
            {"lop3.b32 %0, %1, %2, %3, 0x96;", 0xf0 ^ 0xcc ^ 0xaa, 0xf0, 0xcc, 0xaa},
            {"lop3.b32 %0, %1, %2, %3, 0xea;", (0xf0 & 0xcc) | 0xaa, 0xf0, 0xcc, 0xaa},
            {"prmt.b32 %0, %1, %2, %3;", 0x11778811, 0x44332211, 0x88776655, 0x0670},
            {"prmt.b32 %0, %1, %2, 0x0f0c;", 0x11ff1100, 0x44332211, 0x88776655},
            {"prmt.b32.f4e %0, %1, %2, %3;", 0x66554433, 0x44332211, 0x88776655, 2},
            {"prmt.b32.f4e %0, %1, %2, %3;", 0x44332211, 0x44332211, 0x88776655, 4},
            {"prmt.b32.b4e %0, %1, %2, %3;", 0x66778811, 0x44332211, 0x88776655, 0},
            {"prmt.b32.b4e %0, %1, %2, %3;", 0x77881122, 0x44332211, 0x88776655, 1},
            {"prmt.b32.b4e %0, %1, %2, %3;", 0x88112233, 0x44332211, 0x88776655, 2},
            {"prmt.b32.b4e %0, %1, %2, %3;", 0x11223344, 0x44332211, 0x88776655, 3},
            {"prmt.b32.rc8 %0, %1, %2, %3;", 0x33333333, 0x44332211, 0x88776655, 2},
            {"prmt.b32.ecl %0, %1, %2, %3;", 0x44332222, 0x44332211, 0x88776655, 1},
            {"prmt.b32.ecr %0, %1, %2, %3;", 0x33332211, 0x44332211, 0x88776655, 2},
            {"prmt.b32.rc16 %0, %1, %2, %3;", 0x44334433, 0x44332211, 0x88776655, 1},
            {"prmt.b32.rc16 %0, %1, %2, %3;", 0x22112211, 0x44332211, 0x88776655, 2},
            {"bfe.u32 %0, %1, 4, 8;", 0xef, 0xdef0},
            {"bfe.s32 %0, %1, 4, 8;", word(-17), 0xdef0},
            {"bfe.u32 %0, %1, 40, 8;", 0, 0xdef0},
            {"bfe.s32 %0, %1, 28, 8;", word(-2), 0xe0000000},
            {"bfi.b32 %0, %1, %2, 4, 8;", 0xab0f, 0x1b0, 0xaf0f, 0},
            {"bfind.u32 %0, %1;", 4, 0x1f},
            {"bfind.shiftamt.u32 %0, %1;", 27, 0x1f},
            {"bfind.s32 %0, %1;", 3, word(-16)},
            {"bfind.u32 %0, %1;", word(-1), 0},
            {"brev.b32 %0, %1;", 0x80000000, 1},
            {"clz.b32 %0, %1;", 27, 0x1f},
            {"popc.b32 %0, %1;", 5, 0x1f},
        },
        'r');
  }

  TEST_CASE("floats are computed, rounded, cut to [0, 1] and flushed") {
    check_cases(
        {
            {"add.f32 %0, %1, %2;", bits(5.0F), bits(2.0F), bits(3.0F)},
            {"add.rn.ftz.sat.f32 %0, %1, 0f40400000;", bits(1.0F), bits(2.0F)},
            {"add.ftz.f32 %0, %1, %2;", 0, 1, 1},
            {"sub.f32 %0, %1, 2.5;", bits(-0.5F), bits(2.0F)},
            {"mul.rn.f32 %0, %1, %2;", bits(6.0F), bits(2.0F), bits(3.0F)},
            {"fma.rn.f32 %0, %1, %2, %3;", bits(7.0F), bits(2.0F), bits(3.0F), bits(1.0F)},
            {"mad.rn.f32 %0, %1, %2, %3;", bits(7.0F), bits(2.0F), bits(3.0F), bits(1.0F)},
            {"div.full.f32 %0, %1, %2;", bits(2.0F), bits(6.0F), bits(3.0F)},
            {"neg.f32 %0, %1;", bits(-2.0F), bits(2.0F)},
            {"abs.ftz.f32 %0, %1;", bits(2.0F), bits(-2.0F)},
            {"min.f32 %0, %1, %2;", bits(2.0F), bits(2.0F), 0x7fc00000},
            {"max.NaN.f32 %0, %1, %2;", 0x7fc00000, bits(2.0F), 0x7fc00000},
            {"min.f32 %0, %1, %2;", bits(-0.0F), bits(-0.0F), 0},
            {"min.f32 %0, %1, %2;", bits(-0.0F), 0, bits(-0.0F)},
            {"max.f32 %0, %1, %2;", 0, bits(-0.0F), 0},
            {"max.f32 %0, %1, %2;", 0, 0, bits(-0.0F)},
            {"slct.ftz.f32.f32 %0, %1, %2, 0f80000001;", bits(1.0F), bits(1.0F), bits(2.0F)},
            {"slct.f32.f32 %0, %1, %2, 0f80000001;", bits(2.0F), bits(1.0F), bits(2.0F)},
            {"ex2.approx.ftz.f32 %0, %1;", bits(8.0F), bits(3.0F)},
            {"lg2.approx.f32 %0, %1;", bits(3.0F), bits(8.0F)},
            {"rcp.approx.ftz.f32 %0, %1;", bits(0.25F), bits(4.0F)},
            {"rsqrt.approx.f32 %0, %1;", bits(0.5F), bits(4.0F)},
            {"sqrt.rn.f32 %0, %1;", bits(2.0F), bits(4.0F)},
            {"sin.approx.f32 %0, %1;", 0, 0},
            {"cos.approx.f32 %0, %1;", bits(1.0F), 0},
            {"tanh.approx.f32 %0, %1;", bits(std::tanh(0.5F)), bits(0.5F)},
            {"copysign.f32 %0, %1, %2;", bits(-3.0F), bits(-2.0F), bits(3.0F)},
            {"{ .reg .b16 h; cvt.u16.u32 h, %1; add.f16 h, h, h; cvt.u32.u16 %0, h; }", kHalfTwo,
             kHalfOne},
            {"{ .reg .b16 h; cvt.u16.u32 h, %1; mul.bf16 h, h, h; cvt.u32.u16 %0, h; }", 0x4080,
             0x4000},
            {"add.f16x2 %0, %1, %2;", 0x40003c00, 0x3c000000, 0x3c003c00},
            {"sub.f16x2 %0, %1, %2;", 0x0000bc00, 0x3c000000, 0x3c003c00},
            {"mul.rn.f16x2 %0, %1, %2;", 0x44004000, 0x40003c00, 0x40004000},
            {"fma.rn.f16x2 %0, %1, %2, %3;", 0x45004200, 0x40003c00, 0x40004000, 0x3c003c00},
            {"fma.rn.relu.f16x2 %0, %1, %2, %3;", 0x45000000, 0x4000bc00, 0x40004000, 0x3c003c00},
            {"max.f16x2 %0, %1, %2;", 0x40004000, 0x40003c00, 0x3c004000},
            {"min.bf16x2 %0, %1, %2;", 0x3f803f80, 0x3f804000, 0x40003f80},
            {"fma.rn.bf16x2 %0, %1, %2, %3;", 0x40a04040, 0x40003f80, 0x40004000, 0x3f803f80},
            {"neg.f16x2 %0, %1;", 0xbc00c000, 0x3c004000},
            {"tanh.approx.bf16x2 %0, %1;", 0, 0},
        },
        'r');
    check_cases(
        {
            {"add.f64 %0, %1, 0d3FF0000000000000;", bits(3.0), bits(2.0)},
            {"fma.rn.f64 %0, %1, %2, %3;", bits(7.0), bits(2.0), bits(3.0), bits(1.0)},
            {"sqrt.rn.f64 %0, %1;", bits(2.0), bits(4.0)},
            {"copysign.f64 %0, %1, %2;", bits(-3.0), bits(-2.0), bits(3.0)},
            {"mul.hi.u64 %0, %1, %2;", 1, ~0ULL, 2},
        },
        'l');
  }
}

}  // namespace ws::test

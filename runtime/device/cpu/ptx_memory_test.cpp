// Inline PTX on the CPU engine: registers, comparisons, conversions, memory, atomics, warps.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

namespace {

struct KernelCase {
  const char* name;
  std::string body;  ///< Reads `in`, writes `r`, both unsigned; `t` is the thread's number.
  std::uint32_t (*want)(std::uint32_t thread);
  Build build = Build::kBounds;
};

constexpr std::uint32_t kThreads = 64;

std::uint32_t given(std::uint32_t thread) {
  return thread * 3 + 1;
}

void check_kernel(const KernelCase& c) {
  CAPTURE(std::string(c.name));
  EngineRun run;
  run.source =
      "__global__ void k(const unsigned* in, unsigned* out) {\n"
      "  __shared__ __align__(16) unsigned tile[256];\n"
      "  unsigned t = threadIdx.x, r = 0;\n"
      "  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[4 * t]);\n"
      "  tile[4 * t] = t;\n" +
      c.body + "\n  out[t] = r + (at & 0);\n}\n";
  run.entry = "k";
  run.build = c.build;
  run.block = {kThreads, 1, 1};
  run.buffers = {buffer_of("in", DType::kI32, kThreads), buffer_of("out", DType::kI32, kThreads)};
  const EngineResult result = run_engine(run, [](EngineResult& made) {
    const auto in = made.buffer<std::uint32_t>(0);
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      in[i] = given(i);
    }
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  const auto out = result.buffer<std::uint32_t>(1);
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    CAPTURE(i);
    CHECK(out[i] == c.want(i));
  }
}

void check_kernels(const std::vector<KernelCase>& cases) {
  for (KernelCase c : cases) {
    check_kernel(c);
    c.build = Build::kFast;
    check_kernel(c);
  }
}

std::string text(const std::string& ptx, const std::string& operands) {
  return "  asm volatile(\"" + ptx + "\" " + operands + ");";
}

const std::string kOut = ": \"=r\"(r)";
const std::string kBoth = ": \"=r\"(r) : \"r\"(in[t])";
const std::string kAt = ": \"=r\"(r) : \"r\"(at), \"r\"(t) : \"memory\"";
const std::string kGlobal = ": \"=r\"(r) : \"l\"(in + t), \"l\"(out + t), \"r\"(t) : \"memory\"";

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("statements have comments, scopes, registers, guards and vectors") {
    check_kernels({
        {"a guard",
         text("{ .reg .pred p;\\n // odd\\n setp.gt.u32 p, %1, 90; /* two */ mov.u32 %0, "
              "7;\\n@p mov.u32 %0, 9; @!p add.u32 %0, %0, 1; }",
              kBoth),
         [](std::uint32_t i) { return given(i) > 90 ? 9U : 8U; }},
        {"registers with numbers",
         text("{ .reg .b32 t<3>; mov.b32 t1, %1; { .reg .b32 t1; mov.b32 t1, 5; } "
              "add.u32 t2, t1, 1; mov.b32 %0, t2; }",
              kBoth),
         [](std::uint32_t i) { return given(i) + 1; }},
        {"a vector into two",
         text("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo}; }", kBoth),
         [](std::uint32_t i) { return given(i) << 16U; }},
        {"a predicate joined",
         text("{ .reg .pred p, q; setp.ne.b32 q, %1, 0; setp.lt.and.s32 p|q, %1, 50, q; "
              "selp.u32 %0, 1, 2, p; @q add.u32 %0, %0, 10; }",
              kBoth),
         [](std::uint32_t i) { return given(i) < 50 ? 1U : 12U; }},
        {"set and slct",
         text("{ .reg .b32 a; set.lo.u32.u32 a, %1, 50; slct.u32.s32 %0, 4, 5, a; }", kBoth),
         [](std::uint32_t i) { return given(i) < 50 ? 5U : 4U; }},
        {"testp",
         text("{ .reg .pred p; testp.normal.f32 p, 0f7F800000; selp.b32 %0, 1, 2, p; }", kOut),
         [](std::uint32_t) { return 2U; }},
        {"an operand of both kinds",
         "  r = in[t];\n" + text("mad.lo.u32 %0, %0, 2, %1;", ": \"+r\"(r) : \"n\"(5)"),
         [](std::uint32_t i) { return 2 * given(i) + 5; }},
        {"an empty text", "  r = 3;\n" + text("", "::: \"memory\""),
         [](std::uint32_t) { return 3U; }},
        {"nothing but hints",
         "  r = 3;\n" +
             text("prefetch.global.L2 [%0]; prefetchu.L1 [%0]; nanosleep.u32 1;", ":: \"l\"(in)"),
         [](std::uint32_t) { return 3U; }},
    });
  }

  TEST_CASE("special registers tell where a thread is") {
    check_kernels({
        {"tid", text("mov.u32 %0, %%tid.x;", kOut), [](std::uint32_t i) { return i; }},
        {"ntid, ctaid, nctaid",
         text("{ .reg .u32 a, b; mov.u32 a, %%ntid.x; mov.u32 b, %%nctaid.y; add.u32 %0, a, b; "
              "mov.u32 a, %%ctaid.z; add.u32 %0, %0, a; }",
              kOut),
         [](std::uint32_t) { return kThreads + 1; }},
        {"lane", text("mov.u32 %0, %%laneid;", kOut), [](std::uint32_t i) { return i % 32; }},
        {"warp", text("mov.u32 %0, %%warpid;", kOut), [](std::uint32_t i) { return i / 32; }},
        {"lanes below", text("mov.u32 %0, %%lanemask_lt;", kOut),
         [](std::uint32_t i) { return (1U << i % 32) - 1; }},
        {"lanes from here", text("mov.u32 %0, %%lanemask_ge;", kOut),
         [](std::uint32_t i) { return ~((1U << i % 32) - 1); }},
        {"clocks",
         text("{ .reg .u64 a, b; mov.u64 a, %%clock64; mov.u64 b, %%globaltimer; .reg .u32 c; "
              "mov.u32 c, %%clock; mov.u32 %0, %%smid; }",
              kOut),
         [](std::uint32_t) { return 0U; }},
    });
  }

  TEST_CASE("numbers are converted with their rounding") {
    check_kernels({
        {"to a float and back",
         text("{ .reg .f32 f; cvt.rn.f32.u32 f, %1; add.f32 f, f, 0.5; "
              "cvt.rpi.u32.f32 %0, f; }",
              kBoth),
         [](std::uint32_t i) { return given(i) + 1; }},
        {"to even", text("cvt.rni.s32.f32 %0, 0f40200000;", kOut),
         [](std::uint32_t) { return 2U; }},
        {"cut off", text("cvt.rzi.s32.f32 %0, -2.5;", kOut),
         [](std::uint32_t) { return 0xfffffffeU; }},
        {"limited", text("cvt.rzi.u32.f32 %0, -2.5;", kOut), [](std::uint32_t) { return 0U; }},
        {"bytes", text("cvt.s32.s8 %0, %1;", ": \"=r\"(r) : \"r\"(in[t] + 128)"),
         [](std::uint32_t i) {
           return static_cast<std::uint32_t>(static_cast<std::int8_t>(given(i) + 128));
         }},
        {"to a smaller type with limits",
         text("cvt.sat.u8.s32 %0, %1;", ": \"=r\"(r) : \"r\"(in[t] + 100)"),
         [](std::uint32_t i) { return std::min(given(i) + 100, 255U); }},
        {"to halves", text("cvt.rn.f16x2.f32 %0, 0f40000000, 0f3F800000;", kOut),
         [](std::uint32_t) { return 0x40003c00U; }},
        {"to bfloats", text("cvt.rn.bf16x2.f32 %0, 0f40000000, 0f3F808001;", kOut),
         [](std::uint32_t) { return 0x40003f81U; }},
        {"from halves",
         text("{ .reg .b16 h; .reg .f32 f; cvt.rz.f16.f32 h, 0f45001F33; "
              "cvt.f32.f16 f, h; cvt.rni.u32.f32 %0, f; }",
              kOut),
         [](std::uint32_t) { return 2048U; }},
        {"no number, to 32 bits and to 64",
         text("{ .reg .u64 w; .reg .b32 v; cvt.rzi.s32.f32 %0, 0f7FC00000; "
              "cvt.rni.u64.f32 w, 0f7FC00000; shr.u64 w, w, 62; cvt.u32.u64 v, w; add.u32 %0, %0, "
              "v; cvt.rni.u32.f64 v, 0d7FF8000000000000; or.b32 %0, %0, v; }",
              kOut),
         [](std::uint32_t) { return 0x80000002U; }},
        {"a double too small for a float, flushed and not",
         text("{ .reg .f32 f; .reg .b32 v; cvt.rn.ftz.f32.f64 f, 0d3700000000000000; mov.b32 v, "
              "f; cvt.rn.f32.f64 f, 0d3700000000000000; mov.b32 %0, f; add.u32 %0, %0, v; }",
              kOut),
         [](std::uint32_t) { return 0x00000040U; }},
        {"a double up",
         text("{ .reg .f32 f; cvt.rp.f32.f64 f, 0d3FF0000000000001; mov.b32 %0, f; }", kOut),
         [](std::uint32_t) { return 0x3f800001U; }},
    });
  }

  TEST_CASE("memory is loaded and stored by generic, global and shared addresses") {
    check_kernels({
        {"a load past the cache", text("ld.global.nc.L1::no_allocate.u32 %0, [%1];", kGlobal),
         [](std::uint32_t i) { return given(i); }},
        {"an offset", text("ld.global.ca.u32 %0, [%1+-4];", ": \"=r\"(r) : \"l\"(in + t + 1)"),
         [](std::uint32_t i) { return given(i); }},
        {"volatile, acquire",
         text("{ .reg .u32 a; ld.volatile.global.u32 a, [%1]; "
              "ld.acquire.gpu.global.u32 %0, [%1]; add.u32 %0, %0, a; }",
              kGlobal),
         [](std::uint32_t i) { return 2 * given(i); }},
        {"a byte", text("ldu.global.u8 %0, [%1];", kGlobal),
         [](std::uint32_t i) { return given(i) & 255U; }},
        {"a store",
         text("st.release.gpu.global.u32 [%2], %3; st.global.cs.b32 [%2], 5; ld.u32 %0, [%2];",
              kGlobal),
         [](std::uint32_t) { return 5U; }},
        {"shared",
         text("{ .reg .u32 a; ld.shared.u32 a, [%1]; add.u32 a, a, 2; st.shared.u32 [%1+4], a; "
              "ld.shared::cta.u32 %0, [%1+4]; }",
              kAt),
         [](std::uint32_t i) { return i + 2; }},
        {"vectors",
         text("{ .reg .b32 a<4>; st.shared.v4.b32 [%1], {%2, 1, 2, 3}; "
              "ld.shared.v4.u32 {a0, a1, a2, a3}, [%1]; ld.shared.v2.u32 {%0, a1}, [%1+8]; "
              "add.u32 %0, %0, a0; }",
              kAt),
         [](std::uint32_t i) { return i + 2; }},
        {"addresses",
         text("{ .reg .u64 g; .reg .u32 s; .reg .pred p; .reg .u64 w; cvt.u64.u32 w, %1; "
              "cvta.shared.u64 g, w; isspacep.shared p, g; cvta.to.shared.u64 g, g; "
              "cvt.u32.u64 s, g; sub.u32 %0, s, %1; @p add.u32 %0, %0, 7; }",
              kAt),
         [](std::uint32_t) { return 7U; }},
        {"global addresses",
         text("{ .reg .u64 g; cvta.to.global.u64 g, %1; ld.global.u32 %0, [g]; }", kGlobal),
         [](std::uint32_t i) { return given(i); }},
        {"a guarded store",
         "  out[t] = 0;\n" +
             text("{ .reg .pred p; setp.eq.u32 p, %3, 5; @p st.global.u32 [%2], 9; }",
                  ": \"+r\"(r) : \"l\"(in), \"l\"(out + t), \"r\"(t) : \"memory\"") +
             "\n  r = out[t];",
         [](std::uint32_t i) { return i == 5 ? 9U : 0U; }},
    });
  }
}

}  // namespace ws::test

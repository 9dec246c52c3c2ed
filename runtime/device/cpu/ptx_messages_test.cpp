// Messages about inline PTX that the CPU engine lacks, or that is wrong on any device.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

namespace {

struct MessageCase {
  const char* ptx;
  const char* message;
  CompileVerdict verdict = CompileVerdict::kUnsupported;
};

constexpr auto kWrong = CompileVerdict::kCompileError;

const std::vector<MessageCase> kMessageCases = {
    {"add.s33 %0, %0, 1;",
     "inline PTX: `add.s33`: unknown type `.s33`; known: .u16 .u32 .u64 .s16 .s32 .s64 .f16 .bf16 "
     ".f32 .f64 .f16x2 .bf16x2"},
    {"addd.s32 %0, %0, 1;",
     "inline PTX: `addd.s32`: the CPU engine knows no such instruction; near: `add`"},
    {"frobnicate.s32 %0, %0, 1;",
     "inline PTX: `frobnicate.s32`: the CPU engine knows no such instruction"},
    {"add.rna.f32 %0, %0, 1.0;",
     "inline PTX: `add.rna.f32`: modifier `.rna` is not supported on the CPU engine; known: .rn "
     ".rz "
     ".rm .rp .ftz .sat"},
    {"add.foo.s32 %0, %0, 1;",
     "inline PTX: `add.foo.s32`: unknown modifier `.foo`; known: .rn .rz .rm .rp .ftz .sat"},
    {"add.rz.s32 %0, %0, 1;", "inline PTX: `add.rz.s32`: integers are not rounded"},
    {"mul.lo.rn.s32 %0, %0, 1;", "inline PTX: `mul.lo.rn.s32`: integers are not rounded"},
    {"add.rz.f16x2 %0, %0, %0;",
     "inline PTX: `add.rz.f16x2`: only `.f32` and `.f64` are rounded in another way than to "
     "nearest"},
    {"add.b32 %0, %0, 1;",
     "inline PTX: `add.b32`: type `.b32` is not supported on the CPU engine; known: .u16 .u32 .u64 "
     ".s16 .s32 .s64 .f16 .bf16 .f32 .f64 .f16x2 .bf16x2"},
    {"add %0, %0, 1;",
     "inline PTX: `add`: a type is missing; known: .u16 .u32 .u64 .s16 .s32 .s64 .f16 .bf16 .f32 "
     ".f64 .f16x2 .bf16x2"},
    {"add.s32 %0, 1;", "inline PTX: `add.s32`: takes 3 operands, not 2"},
    {"rem.lo.s32 %0, %0, 1;",
     "inline PTX: `rem.lo.s32`: modifier `.lo` is not supported on the CPU engine; it has none"},
    {"add.s64 %0, %0, 1;", "inline PTX: `add.s64`: operand `%0` has 32 bits, `.s64` has 64"},
    {"mul.u32 %0, %0, 1;",
     "inline PTX: `mul.u32`: expected `.lo`, `.hi` or `.wide` before the type"},
    {"setp.lo.s32 %0, %0, 1;", "inline PTX: `setp.lo.s32`: `.lo` does not compare `.s32`"},
    {"add.s32 %0, %0, 1\\nadd.s32 %0, %0, 1;",
     "inline PTX, line 2: expected `,` or `;`, not `add.s32`", kWrong},
    {"\\n{ add.s32 %0, %0, 1;", "inline PTX, line 2: expected `}`, not the end of the text",
     kWrong},
    {"add.s32 %0, %0, );", "inline PTX: expected an operand, not `)`", kWrong},
    {"mov.u32 %0, x;", "inline PTX: `mov.u32`: `x` is not declared", kWrong},
    {".reg x;", "inline PTX: expected a register's type, as in `.reg .b32 a;`, not `x`", kWrong},
    {"mov.u32 %0, %%foo;",
     "inline PTX: `mov.u32`: special register `%foo` is not known on the CPU engine"},
    {"mov.u32 5, %0;", "inline PTX: `mov.u32`: `5` is no register that can be written"},
    {"ld.v2.u32 %0, [%1];", "inline PTX: `ld.v2.u32`: expected 2 registers, not 1"},
    {"bra back;", "inline PTX: `bra`: there is no label `back`", kWrong},
    {"{ bra.uni in;\\n{ in: } }", "inline PTX: `bra.uni`: there is no label `in`", kWrong},
    {"\\n\\nbra 5;", "inline PTX, line 3: `bra`: there is no label `5`", kWrong},
    {"bra;", "inline PTX: `bra`: takes 1 operand, not 0"},
    {"brx.idx %0, list;",
     "inline PTX: `brx.idx`: computed jumps and functions are not supported on the CPU engine"},
    {"a: add.s32 %0, %0, 1;\\na: add.s32 %0, %0, 1;",
     "inline PTX, line 2: label `a` stands twice in a block", kWrong},
    {"{ .reg .b32 x;\\n .reg .u32 y, x; }", "inline PTX, line 2: register `x` is declared twice",
     kWrong},
    {"ret;", "inline PTX: `ret`: computed jumps and functions are not supported on the CPU engine"},
    {"setpp.lt.u32 %0, %0, 1;",
     "inline PTX: `setpp.lt.u32`: the CPU engine knows no such instruction; near: `setp`"},
    {"\\nbrra.uni out;",
     "inline PTX, line 2: `brra.uni`: the CPU engine knows no such instruction; near: `bra`"},
    {".shared .b32 x;", "inline PTX: `.shared` is not supported on the CPU engine"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%0];",
     "inline PTX: `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`: bulk copies "
     "are not supported on the CPU engine"},
    {"cp.async.shared.global [%0], [%1], 16;",
     "inline PTX: `cp.async.shared.global`: expected `.ca` or `.cg`"},
    {"cp.async.cg.shared.global [%0], [%1], 8;",
     "inline PTX: `cp.async.cg.shared.global`: `.cg` copies 16 bytes"},
    {"cp.async.ca.shared.global [%0], [%1], 5;",
     "inline PTX: `cp.async.ca.shared.global`: `.ca` copies 4, 8 or 16 bytes"},
    {"cp.async.ca.shared.global [%0], [%1], 4, 4, %1;",
     "inline PTX: `cp.async.ca.shared.global`: `.L2::cache_hint` and a cache policy need each "
     "other"},
    {"cp.async.ca.shared [%0], [%1], 4;",
     "inline PTX: `cp.async.ca.shared`: expected `.shared.global`"},
    {"{ .reg .b32 x; ld.b32 x, [%1]; cp.async.wait_group x; }",
     "inline PTX: `cp.async.wait_group`: operand `x` must be a constant"},
    {"cvt.rn.satfinite.e4m3x2.f32 %0, %0;",
     "inline PTX: `cvt.rn.satfinite.e4m3x2.f32`: this conversion has other operands"},
    {"cvt.rn.bf16x2.e5m2x2 %0, %0;",
     "inline PTX: `cvt.rn.bf16x2.e5m2x2`: this conversion is not supported on the CPU engine"},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];",
     "inline PTX: `ldmatrix.sync.aligned.m8n8.x1.shared.b16`: tensor-core instructions are not "
     "supported on the CPU engine"},
    {"mbarrier.init.shared::cluster.b64 [%0], 1;",
     "inline PTX: `mbarrier.init.shared::cluster.b64`: unknown modifier `.shared::cluster`; known: "
     ".shared .shared::cta"},
    {"bar.sync 16, 32;", "inline PTX: `bar.sync`: a block has barriers 0 to 15, not 16"},
    {"bar.arrive 1, 40;",
     "inline PTX: `bar.arrive`: a number of threads must be a multiple of 32, not 40"},
    {"bar.arrive 1;", "inline PTX: `bar.arrive`: takes 2 operands, not 1"},
    {"{ .reg .b16 h; mov.b16 h, 0; atom.min.f16 h, [%1], h; }",
     "inline PTX: `atom.min.f16`: of `.f16`, only `.add` is supported on the CPU engine"},
    {"{ .reg .b32 x; ld.b32 x, [%1]; lop3.b32 %0, x, x, x, x; }",
     "inline PTX: `lop3.b32`: operand `x` must be a constant"},
    {"cvt.rz.f32.u64 %0, %1;",
     "inline PTX: `cvt.rz.f32.u64`: 64 bits are only rounded to the nearest float on the CPU "
     "engine"},
    {"mul.lo.s32 %0, %0, $x;", "inline PTX: `mul.lo.s32`: `$x` is not declared", kWrong},
    {"mul.lo.s32 %0, %0, $;", "inline PTX: `$` is no operand", kWrong},
    {"bra $L__1;", "inline PTX: `bra`: there is no label `$L__1`", kWrong},
    {"bra L%=;", "inline PTX: `bra`: there is no label `L%=`", kWrong},
    {".reg .b32 5;", "inline PTX: expected a register's name, not `5`", kWrong},
    {".reg .b32 x<y>;", "inline PTX: expected a number of registers up to 4096, not `y`", kWrong},
    {"@%0 5;", "inline PTX: expected an instruction, not `5`", kWrong},
    {"ld.u32 %0, [%1;", "inline PTX: expected `]`, not `;`", kWrong},
    {"mov.u32 x, %0;", "inline PTX: `mov.u32`: `x` is not declared", kWrong},
    {"mov.u32 %0, [%1];", "inline PTX: `mov.u32`: operand `[...]` is no `.u32`"},
    {"mov.b32 %0, 1.5;", "inline PTX: `mov.b32`: operand `1.5` is no `.b32`"},
    {"add.f32 %0, %0, 1;",
     "inline PTX: `add.f32`: operand `1` is no `.f32`: it has no decimal point"},
    {"mov.u64 %0, 5;", "inline PTX: `mov.u64`: `%0` has 32 bits, the result has 64"},
    {"mov.b32 %0, {%0, %0, %0};", "inline PTX: `mov.b32`: so many parts do not make `.b32`"},
    {"cvt.rn.f16x2.f32 %0, %0;",
     "inline PTX: `cvt.rn.f16x2.f32`: this conversion has other operands"},
    {"setp.s32 %0, %0, 1;", "inline PTX: `setp.s32`: expected a comparison, as in `setp.lt`"},
    {"atom.u32 %0, [%1], 1;", "inline PTX: `atom.u32`: expected an operation, as in `.add`"},
    {"atom.cas.b32 %0, [%1], 1;", "inline PTX: `atom.cas.b32`: expected an address and two values"},
    {"redux.sync.u32 %0, %0, -1;",
     "inline PTX: `redux.sync.u32`: expected one of .add .min .max .and .or .xor"},
    {"testp.f32 %0, %0;",
     "inline PTX: `testp.f32`: expected `.finite` or another class of numbers"},
    {"shfl.sync.b32 %0, %0, 0, 31, -1;",
     "inline PTX: `shfl.sync.b32`: expected one of .idx .up .down .bfly"},
    {"match.sync.b32 %0, %0, -1;", "inline PTX: `match.sync.b32`: expected one of .all .any"},
    {"prefetch.global.L2 %0, %0;", "inline PTX: `prefetch.global.L2`: takes 1 operand, not 2"},
    {"ld.u32 %0, [%0];", "inline PTX: `ld.u32`: operand `%0` has 32 bits, `.u64` has 64"},
    {"add.s32 %0, !%0, 1;", "inline PTX: `add.s32`: `!` stands only before a predicate"},
    {"mad.wide.s64 %1, %1, %1, %1;", "inline PTX: `mad.wide.s64`: `.wide` has no type of 128 bits"},
    {"add.sat.u32 %0, %0, 1;", "inline PTX: `add.sat.u32`: `.sat` is not for `.u32`"},
    {"cvt.rn.f16x2.s32 %0, %0, %0;",
     "inline PTX: `cvt.rn.f16x2.s32`: this conversion is not supported on the CPU engine"},
    {"ld.release.gpu.u32 %0, [%1];", "inline PTX: `ld.release.gpu.u32`: a load has no `.release`"},
    {"st.acquire.gpu.u32 [%1], %0;", "inline PTX: `st.acquire.gpu.u32`: a store has no `.acquire`"},
    {"shf.wrap.b32 %0, %0, %0, 1;", "inline PTX: `shf.wrap.b32`: expected `.l` or `.r`"},
    {"tex.2d.v4.f32.s32 {%0, %0, %0, %0}, [%1];",
     "inline PTX: `tex.2d.v4.f32.s32`: textures and surfaces are not supported on the CPU engine"},
    {"add.cc.u32 %0, %0, 1;",
     "inline PTX: `add.cc.u32`: carry flags are not supported on the CPU engine"},
    {"wgmma.fence.sync.aligned;",
     "inline PTX: `wgmma.fence.sync.aligned`: tensor-core instructions are not supported on the "
     "CPU engine"},
    {"fence.proxy.async;",
     "inline PTX: `fence.proxy.async`: bulk copies are not supported on the CPU engine"},
    {"mapa.u64 %1, %1, 0;", "inline PTX: `mapa.u64`: clusters are not supported on the CPU engine"},
};

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("what is refused is named with its line, and what is near") {
    for (const MessageCase& c : kMessageCases) {
      CAPTURE(std::string(c.ptx));
      const CompileOutcome outcome = compiled_source(
          std::string("__global__ void k(unsigned* p) {\n  unsigned r = 1;\n    asm volatile(\"") +
          c.ptx + "\" : \"+r\"(r) : \"l\"(p));\n  *p = r;\n}\n");
      CHECK(outcome.verdict == c.verdict);
      CHECK(outcome.message == std::string(c.message));
      REQUIRE_FALSE(outcome.diagnostics.empty());
      CHECK(outcome.diagnostics.front().line == 3);
      CHECK(outcome.diagnostics.front().column == 5);
    }
  }

  TEST_CASE("operands that are no registers, and shared memory in recursion, are refused") {
    struct SourceCase {
      const char* source;
      const char* message;
    };

    constexpr SourceCase kCases[] = {
        {"__global__ void k(int* p) {\n  asm volatile(\"add.s32 %0, %0, 1;\" : \"+m\"(*p));\n}\n",
         "inline PTX: constraint \"m\" is not supported on the CPU engine"},
        {"__device__ __noinline__ int f(int n) {\n  int r = n; asm volatile(\"ld.shared.s32 %0, "
         "[%1];\" : \"=r\"(r) : \"r\"(n));\n  return n == 0 ? r : f(n - 1) + r;\n}\n__global__ "
         "void "
         "k(int* p) {\n  *p = f(*p);\n}\n",
         "inline PTX: `ld.shared.s32`: shared memory in a recursive function is not supported on "
         "the CPU engine"},
        {"__device__ __noinline__ int f(int n) {\n  asm volatile(\"exit;\");\n  return n == 0 ? 1 "
         ": "
         "f(n - 1) + n;\n}\n__global__ void k(int* p) {\n  *p = f(*p);\n}\n",
         "inline PTX: `exit`: ending a thread in a recursive function is not supported on the CPU "
         "engine"},
        {"__global__ void k(int* p) {\n  asm goto(\"bra %l0;\" ::::over);\n  *p = 1;\nover:\n  "
         "*p = 2;\n}\n",
         "inline PTX: `asm goto` is not supported on the CPU engine"},
    };
    for (const SourceCase& c : kCases) {
      const CompileOutcome outcome = compiled_source(c.source);
      CHECK(outcome.message == std::string(c.message));
      REQUIRE_FALSE(outcome.diagnostics.empty());
      CHECK(outcome.diagnostics.front().line == 2);
    }
  }
}

}  // namespace ws::test

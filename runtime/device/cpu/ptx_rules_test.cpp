// Inline PTX whose parts are all known, but which PTX does not have: its assembler refuses it.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// One instruction on registers of each kind: `h`, `r`, `d`, `f`, `e` of 16, 32, 64 bits, a float
/// and a double, each with others from 1 on, predicates `p` and `q`, and `s`, an address in shared
/// memory.
struct RuleCase {
  const char* text;
  const char* message;  ///< Behind the instruction's name.
};

CompileOutcome outcome_of(const std::string& text) {
  return compiled_source(
      "__global__ void k(float* x) {\n  __shared__ __align__(16) float tile[64];\n"
      "  unsigned s = (unsigned)__cvta_generic_to_shared(tile);\n"
      "  asm volatile(\"{ .reg .pred p, q; .reg .b16 h<4>, h; .reg .b32 r<5>, r, s; .reg .b64 "
      "d<4>, "
      "d; .reg .f32 f<4>, f; .reg .f64 e<4>, e; mov.b32 s, %0; mov.b64 d, %1;\\n" +
      text + " }\" :: \"r\"(s), \"l\"(x) : \"memory\");\n}\n");
}

const std::vector<RuleCase> kForbidden = {
    {"add.rn.rz.f32 f, f1, f2;", "only one of .rn .rz may stand there"},
    {"add.rn.rn.f32 f, f1, f2;", "modifier `.rn` stands twice"},
    {"bra.uni.uni L; L:", "modifier `.uni` stands twice"},
    {"mul.lo.hi.s32 r, r1, r2;", "only one of .lo .hi may stand there"},
    {"div.approx.rn.f32 f, f1, f2;", "only one of .rn .approx may stand there"},
    {"setp.lt.gt.s32 p, r1, r2;", "only one of .lt .gt may stand there"},
    {"ld.global.local.u32 r, [d];", "only one of .global .local may stand there"},
    {"st.shared.global.u32 [s], r;", "only one of .global .shared may stand there"},
    {"setp.lt.b32 p, r1, r2;", "expected one of .eq .ne"},
    {"ld.acquire.relaxed.gpu.u32 r, [d];", "only one of .relaxed .acquire may stand there"},
    {"fma.rn.sat.relu.f16 h, h1, h2, h3;", "only one of .sat .relu may stand there"},
    {"fma.f32 f, f1, f2, f3;", "expected one of .rn .rz .rm .rp"},
    {"mad.f64 e, e1, e2, e3;", "expected one of .rn .rz .rm .rp"},
    {"div.f32 f, f1, f2;", "expected one of .rn .rz .rm .rp .approx .full"},
    {"div.approx.f64 e, e1, e2;", "expected one of .rn .rz .rm .rp"},
    {"ex2.f32 f, f1;", "expected `.approx`"},
    {"sqrt.f32 f, f1;", "expected one of .rn .rz .rm .rp .approx"},
    {"mul24.s32 r, r1, r2;", "expected one of .lo .hi"},
    {"shf.l.b32 r, r1, r2, r3;", "expected one of .wrap .clamp"},
    {"add.ftz.f64 e, e1, e2;", "`.ftz` is not for `.f64`"},
    {"neg.ftz.s32 r, r1;", "`.ftz` is not for `.s32`"},
    {"add.sat.f64 e, e1, e2;", "`.sat` is not for `.f64`"},
    {"mul.lo.sat.s32 r, r1, r2;", "`.sat` is not for `.s32`"},
    {"mad.lo.sat.s32 r, r1, r2, r3;", "expected `.hi`"},
    {"fma.rn.relu.f32 f, f1, f2, f3;", "`.relu` is not for `.f32`"},
    {"min.NaN.s32 r, r1, r2;", "`.NaN` is not for `.s32`"},
    {"setp.lt.ftz.s32 p, r1, r2;", "`.ftz` is not for `.s32`"},
    {"setp.lt.f32 p, f1, f2, q;", "expected one of .and .or .xor for the fourth operand"},
    {"setp.lt.and.f32 p, f1, f2;", "expected a predicate as fourth operand"},
    {"atom.add.s64 d1, [d], d2;", "`.add` is not for `.s64`"},
    {"atom.exch.u32 r, [d], r1;", "`.exch` is not for `.u32`"},
    {"atom.min.f32 f, [d], f1;", "`.min` is not for `.f32`"},
    {"atom.add.f16 h, [d], h1;", "expected `.noftz`"},
    {"red.and.u32 [d], r1;", "`.and` is not for `.u32`"},
    {"ld.relaxed.u32 r, [d];", "expected one of .cta .cluster .gpu .sys beside the order"},
    {"st.gpu.u32 [d], r;", "expected one of .relaxed .acquire .release beside the scope"},
    {"ld.global.u32 r, [d], d1;", "`.L2::cache_hint` and a cache policy need each other"},
    {"fence.sc;", "expected one of .cta .cluster .gpu .sys"},
    {"membar;", "expected one of .cta .sys .gl"},
    {"bar 0;", "expected one of .sync .warp"},
    {"bar.red.popc.pred p, 0, q;", "`.popc` is not for `.pred`"},
    {"vote.sync.all.b32 r, p, -1;", "`.all` is not for `.b32`"},
    {"vote.all.pred q, p, -1;", "expected `.sync`"},
    {"redux.sync.add.b32 r, r1, -1;", "`.add` is not for `.b32`"},
    {"cvt.f32.f64 f, e;", "expected one of .rn .rz .rm .rp"},
    {"cvt.f32.s32 f, r;", "expected one of .rn .rz .rm .rp"},
    {"cvt.s32.f32 r, f;", "expected one of .rni .rzi .rmi .rpi"},
    {"cvt.rn.s32.f32 r, f;", "expected one of .rni .rzi .rmi .rpi"},
    {"cvt.rn.f64.f32 e, f;", "`.rn` is not for this conversion"},
    {"cvt.rm.f16x2.f32 r, f1, f2;", "expected one of .rn .rz"},
    {"cvt.rna.f16.f32 h, f;", "expected one of .rn .rz .rm .rp"},
    {"cvt.rn.u32.u16 r, h;", "`.rn` is not for this conversion"},
    {"cvt.rn.ftz.f16x2.f32 r, f1, f2;", "`.ftz` is not for this conversion"},
    {"cvt.rn.sat.bf16.f32 h, f;", "`.sat` is not for this conversion"},
    {"cvt.rm.relu.f16.f32 h, f;", "`.relu` is not for this conversion"},
    {"cvt.rn.satfinite.f16.f64 h, e;", "`.satfinite` is not for this conversion"},
    {"cvt.tf32.f32 r, f;", "expected one of .rn .rz .rna"},
    {"cvt.rm.tf32.f32 r, f;", "expected one of .rn .rz .rna"},
    {"cvt.rna.relu.tf32.f32 r, f;", "`.relu` is not for this conversion"},
    {"cvt.rn.e4m3x2.f32 h, f1, f2;", "expected `.satfinite`"},
    {"cvt.rz.satfinite.e5m2x2.f32 h, f1, f2;", "expected `.rn`"},
    {"cvt.rn.satfinite.f16x2.e4m3x2 r, h;", "`.satfinite` is not for this conversion"},
};

const std::vector<const char*> kAllowed = {
    "add.f32.rn f, f1, f2;",
    "add.rn.sat.f16 h, h1, h2;",
    "div.full.ftz.f32 f, f1, f2;",
    "rcp.approx.ftz.f64 e, e1;",
    "rsqrt.approx.f64 e, e1;",
    "ex2.approx.ftz.bf16 h, h1;",
    "mad.hi.sat.s32 r, r1, r2, r3;",
    "min.NaN.ftz.f16 h, h1, h2;",
    "setp.eq.ftz.f16 p, h1, h2;",
    "set.lt.and.f32.s32 f, r1, r2, p;",
    "slct.ftz.f32.f32 f, f1, f2, f3;",
    "atom.add.noftz.f16x2 r, [d], r1;",
    "atom.min.s64 d1, [d], d2;",
    "red.relaxed.gpu.global.or.b64 [d], d1;",
    "ld.global.L2::cache_hint.u32 r, [d], d1;",
    "ld.acquire.gpu.global.L1::no_allocate.u32 r, [d];",
    "fence.acquire.sys;",
    "barrier.cta.sync.aligned 0, 64;",
    "barrier.red.or.pred p, 0, 64, !q;",
    "cvt.f16.f16 h, h1;",
    "cvt.rni.f32.f32 f, f1;",
    "cvt.rn.f32.bf16 f, h;",
    "cvt.bf16.f16 h, h1;",
    "cvt.sat.u16.s32 h, r;",
    "cvt.rzi.sat.u16.f32 h, f;",
    "cvt.rn.ftz.bf16.f32 h, f;",
    "cvt.rz.relu.satfinite.bf16x2.f32 r, f1, f2;",
    "cvt.rn.satfinite.relu.tf32.f32 r, f;",
    "cvt.rn.satfinite.relu.e5m2x2.f16x2 h, r;",
};

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("what PTX forbids is refused by the rule that it breaks") {
    for (const RuleCase& c : kForbidden) {
      const std::string text = c.text;
      CAPTURE(text);
      const CompileOutcome outcome = outcome_of(text);
      CHECK(outcome.verdict == CompileVerdict::kUnsupported);
      CHECK(outcome.message ==
            "inline PTX, line 2: `" + text.substr(0, text.find_first_of(" ;")) + "`: " + c.message);
    }
  }

  TEST_CASE("what PTX has is not refused") {
    for (const char* text : kAllowed) {
      CAPTURE(std::string(text));
      const CompileOutcome outcome = outcome_of(text);
      CHECK_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    }
  }
}

}  // namespace ws::test

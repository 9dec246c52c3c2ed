// Inline assembly that no compiler takes: a kernel is stored before it compiles, and the lifter,
// which runs in the server, must have an answer for it.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"
#include "tools/kernels/lifting.h"

namespace ws::test {

TEST_SUITE("tools.lift_assembly") {
  TEST_CASE("instructions without operands are refused, and the server goes on") {
    struct Row {
      std::string statement;
      std::string why;
    };

    const Row rows[] = {
        {R"(asm("ex2.approx.f32 %0, {};" : "=f"(q) : "f"(1.0f));)", "inline assembly"},
        {R"(asm("ex2.approx.f32;" : "=f"(q) : "f"(1.0f));)", "inline assembly"},
        {R"(asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32;" : "=f"(q));)",
         "`mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32` of a form, or by threads, that are "
         "not known"},
        {R"(asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {}, {}, {};");)",
         "`mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32` with an operand that is not known"},
        {R"(asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16;" : "=f"(q));)",
         "`ldmatrix.sync.aligned.m8n8.x1.shared.b16` with too few operands"},
        {R"(asm("cp.async.ca.shared.global;");)",
         "`cp.async.ca.shared.global` with too few operands"},
        {R"(asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {}, {}, %0, 1;" :: "l"(0L));)",
         "`wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16`: a product of operands that are no "
         "parts of arrays"},
        {R"(asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0}, {}, %1, 1;" : "+f"(q) : "l"(0L));)",
         "`wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16`: a product of operands that are no "
         "parts of arrays"},
        {R"(asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0}, {}, {}, {};");)",
         "`wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16`: whether it adds to what its sums "
         "held depends on data"},
        {R"(asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16;");)",
         "`wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16`: whether it adds to what its sums "
         "held depends on data"},
        {R"(asm("mbarrier.try_wait.parity.shared::cta.b64 {}, [{}], {};" : "=r"(r));)",
         "`mbarrier.try_wait.parity.shared::cta.b64`: asks whether the phase of that parity is "
         "complete"},
        {R"(asm("mapa.shared::cluster.u32 {}, {}, {}; mbarrier.arrive.shared::cluster.b64 _, [{}];");)",
         "`mbarrier.arrive.shared::cluster.b64`: arrives; earlier effects are visible to waiting "
         "threads"},
        {R"(asm("mapa.shared::cluster.u32 a, %500, %501; mbarrier.arrive.shared::cluster.b64 _, [a];");)",
         "`mbarrier.arrive.shared::cluster.b64`: on a barrier of another block of the cluster"},
        // The right operand is 64 columns wide, and its array 32.
        {R"(__shared__ unsigned short s[16][32]; __shared__ unsigned short t[64][16]; float sums[32];
            unsigned long long a = __cvta_generic_to_shared(&t[0][0]), b = __cvta_generic_to_shared(&s[0][0]);
            asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0}, %1, %2, 1, 1, 1, 0, 1;"
                : "+f"(sums[0]) : "l"(a), "l"(b));)",
         "`wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16`: a right operand that is wider than "
         "its array"},
        {R"(asm("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes;");)",
         "`cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes`: a copy of "
         "a box by a tensor map that is no view by rows and columns"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.statement);
      const Json kernel = twice_kernel("  float q = 0;\n  int r = 0;\n  " + row.statement +
                                       "\n  if (i < n) y[i] = q + r;");
      const Json made =
          tools().result("compile_kernel", {{"problem", twice_problem()}, {"kernel", kernel}});
      const Result<Subject> subject =
          load_subject(*tools().services().archive, made["kernel_id"].get<std::string>());
      REQUIRE(subject.has_value());
      const Result<Lifting> lifting = lift_kernel(tools().services(), *subject, {}, {});
      REQUIRE(lifting.has_value());
      REQUIRE_FALSE(lifting->program.not_lifted.empty());
      CHECK(lifting->program.not_lifted[0].why == row.why);
    }
  }
}

}  // namespace ws::test

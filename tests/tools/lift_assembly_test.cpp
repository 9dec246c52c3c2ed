// Inline assembly that no compiler takes: a kernel is stored before it compiles, and the lifter,
// which runs in the server, must have an answer for it.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"
#include "tools/kernels/lifting.h"

namespace ws::test {

TEST_SUITE("tools.lift_assembly") {
  TEST_CASE("instructions without operands are refused, and the server goes on") {
    struct Row {
      const char* statement;
      const char* why;
    };

    const Row rows[] = {
        {R"(asm("ex2.approx.f32 %0, {};" : "=f"(q) : "f"(1.0f));)", ""},
        {R"(asm("ex2.approx.f32;" : "=f"(q) : "f"(1.0f));)", ""},
        {R"(asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32;" : "=f"(q));)", ""},
        {R"(asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {}, {}, {};");)", ""},
        {R"(asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16;" : "=f"(q));)", ""},
        {R"(asm("cp.async.ca.shared.global;");)", ""},
        {R"(asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {}, {}, %0, 1;" :: "l"(0L));)",
         ""},
        {R"(asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0}, {}, %1, 1;" : "+f"(q) : "l"(0L));)",
         ""},
        {R"(asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0}, {}, {}, {};");)", ""},
        {R"(asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16;");)", ""},
        {R"(asm("mbarrier.try_wait.parity.shared::cta.b64 {}, [{}], {};" : "=r"(r));)", ""},
        {R"(asm("mapa.shared::cluster.u32 {}, {}, {}; mbarrier.arrive.shared::cluster.b64 _, [{}];");)",
         ""},
        {R"(asm("mapa.shared::cluster.u32 a, %500, %501; mbarrier.arrive.shared::cluster.b64 _, [a];");)",
         ""},
        // The right operand is 64 columns wide, and its array 32.
        {R"(__shared__ __half s[16][32]; __shared__ __half t[64][16]; float sums[32];
            unsigned long long a = __cvta_generic_to_shared(&t[0][0]), b = __cvta_generic_to_shared(&s[0][0]);
            asm("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0}, %1, %2, 1, 1, 1, 0, 1;"
                : "+f"(sums[0]) : "l"(a), "l"(b));)",
         ""},
        {R"(asm("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes;");)",
         ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.statement);
      const Json kernel = twice_kernel("  float q = 0;\n  int r = 0;\n  " +
                                       std::string(row.statement) + "\n  if (i < n) y[i] = q + r;");
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

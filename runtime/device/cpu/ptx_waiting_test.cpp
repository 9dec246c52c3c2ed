// Inline PTX on the CPU engine: copies that are waited for, and mbarriers.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/device/cpu/test_ptx_waits.h"

namespace ws::test {
namespace {

const std::vector<Waiting> kCases = {
    {"copies of 4, 8 and 16 bytes, in groups",
     R"(  __shared__ __align__(16) int s[128];
  if (t < 32) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared_of(&s[t])), "l"(&in[t]) : "memory");
  else if (t < 48) asm volatile("cp.async.ca.shared::cta.global.L2::128B [%0], [%1], 8;" :: "r"(shared_of(&s[2 * t - 32])), "l"(&in[2 * t - 32]) : "memory");
  else if (t < 64) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_of(&s[4 * t - 128])), "l"(&in[4 * t - 128]) : "memory");
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[t] = s[127 - t];)",
     [](int t) { return 3 * (127 - t); }},
    {"copies with zeros behind what is given",
     R"(  __shared__ __align__(16) int s[512];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(shared_of(&s[4 * t])), "l"(t % 5 == 4 ? 0 : &in[t & ~3]), "r"(t % 5 == 4 ? 0 : 4 * (t % 5)) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = s[4 * t] + s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3];)",
     [](int t) {
       int sum = 0;
       for (int i = 0; i < (t % 5 == 4 ? 0 : t % 5); ++i) {
         sum += 3 * (t / 4 * 4 + i);
       }
       return sum;
     }},
    {"an mbarrier between warps that give and warps that take",
     R"(  __shared__ __align__(8) unsigned long long full, empty;
  __shared__ int s[64];
  if (t == 0) { init(&full, 64); init(&empty, 64); asm volatile("fence.mbarrier_init.release.cluster;"); }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 5; ++round) {
    if (t < 64) {
      wait_for(&empty, (round + 1) & 1);
      s[t] = t + round;
      arrive(&full);
    } else {
      wait_for(&full, round & 1);
      sum += s[127 - t];
      arrive(&empty);
    }
  }
  out[t] = sum;)",
     [](int t) { return t < 64 ? 0 : 5 * (127 - t) + 10; }},
    {"an mbarrier's state, and arrivals of several at once",
     R"(  __shared__ __align__(8) unsigned long long b;
  __shared__ int s[128];
  if (t == 0) init(&b, 256);
  __syncthreads();
  s[t] = t;
  unsigned long long state;
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], 2;" : "=l"(state) : "r"(shared_of(&b)) : "memory");
  for (unsigned done = 0; done == 0;)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared_of(&b)), "l"(state) : "memory");
  unsigned pending;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
  out[t] = s[127 - t] + (pending <= 256 && pending >= 2 && pending % 2 == 0 ? 1000 : 0);)",
     [](int t) { return 127 - t + 1000; }},
    {"threads that leave an mbarrier, and bytes that are expected",
     R"(  __shared__ __align__(8) unsigned long long b;
  if (t == 0) init(&b, 128);
  __syncthreads();
  if (t >= 100) {
    asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" :: "r"(shared_of(&b)) : "memory");
    out[t] = -1;
    return;
  }
  arrive(&b);
  wait_for(&b, 0);
  if (t == 3) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_of(&b)), "r"(512) : "memory");
  else arrive(&b);
  out[t] = 1;
  if (t == 4) { out[4] = 9; asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 512;" :: "r"(shared_of(&b)) : "memory"); }
  wait_for(&b, 1);
  if (t == 5) out[5] = out[4];
  asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(shared_of(&b)) : "memory");)",
     [](int t) { return t >= 100           ? -1
                        : t == 4 || t == 5 ? 9
                                           : 1; }},
    {"copies that arrive at an mbarrier",
     R"(  __shared__ __align__(8) unsigned long long b;
  __shared__ __align__(16) int s[128];
  if (t == 0) init(&b, 32);
  __syncthreads();
  if (t < 32) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_of(&s[4 * t])), "l"(&in[4 * t]) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" :: "r"(shared_of(&b)) : "memory");
  }
  wait_for(&b, 0);
  out[t] = s[127 - t];)",
     [](int t) { return 3 * (127 - t); }},
    {"copies whose source is not read",
     R"(  __shared__ __align__(16) int s[512];
  asm volatile("{ .reg .pred p; setp.eq.s32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p; }" :: "r"(shared_of(&s[t])), "l"(t % 3 ? &in[t] : 0), "r"(t % 3) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = s[t];)",
     [](int t) { return t % 3 == 0 ? 0 : 3 * t; }},
};

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("copies and mbarriers are waited for as PTX says, without a race") {
    check_waits(kCases);
  }

  TEST_CASE("special registers say what there is") {
    const EngineResult result = run_filled(waiting_run(
        "  unsigned a, b, c, d, e; unsigned long long f, g;\n"
        "  asm volatile(\"mov.u32 %0, %%nsmid; mov.u32 %1, %%smid; mov.u32 %2, "
        "%%cluster_nctarank; mov.u32 %3, %%clusterid.x; mov.u32 %4, %%total_smem_size;\" : "
        "\"=r\"(a), \"=r\"(b), \"=r\"(c), \"=r\"(d), \"=r\"(e));\n"
        "  asm volatile(\"{ .reg .b32 h; mov.u64 %0, %%clock64; mov.u32 h, %%clock_hi; cvt.u64.u32 "
        "%1, h; mov.u32 h, %%globaltimer_hi; mov.u32 h, %%globaltimer_lo; }\" : \"=l\"(f), "
        "\"=l\"(g));\n"
        "  out[t] = a * 1000 + b * 100 + c * 10 + d + e + ((f >> 32) == g);"));
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    CHECK(result.buffer<int>(1)[5] == 1011);
  }
}

}  // namespace ws::test

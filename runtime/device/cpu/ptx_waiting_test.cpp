// Inline PTX on the CPU engine: what threads wait for. Barriers of some threads, copies, mbarriers.
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// The functions that the kernels below use.
constexpr const char* kHelpers = R"(
__device__ unsigned shared_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void sync_some(int id, int n) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(n) : "memory"); }
__device__ void arrive_some(int id, int n) { asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(n) : "memory"); }
__device__ void init(unsigned long long* b, int n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(shared_of(b)), "r"(n) : "memory");
}
__device__ void arrive(unsigned long long* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(shared_of(b)) : "memory");
}
__device__ void wait_for(unsigned long long* b, int parity) {
  asm volatile("{ .reg .pred done;\n again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               " @done bra over;\n bra again;\n over: }" :: "r"(shared_of(b)), "r"(parity) : "memory");
}
)";

struct Waiting {
  const char* name;
  const char* body;  ///< `t` is the thread, of 128; `in` has its own numbers, `out` gets results.
  int (*want)(int t);
};

const Waiting kCases[] = {
    {"two halves of a block, each with a barrier of its own",
     R"(  __shared__ int s[128];
  for (int round = 0; round < 3; ++round) {
    s[t] = t + round;
    if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("barrier.sync 2, 64;" ::: "memory");
    out[t] = s[t / 64 * 64 + (t + 1) % 64];
    sync_some(t / 64 + 1, 64);
  })",
     [](int t) { return t / 64 * 64 + (t + 1) % 64 + 2; }},
    {"warps that give, and warps that take",
     R"(  __shared__ int s[64];
  for (int round = 0; round < 4; ++round) {
    if (t < 64) {
      s[t] = 10 * t + round;
      arrive_some(3, 128);
      sync_some(4, 128);
    } else {
      sync_some(3, 128);
      out[t] = out[t - 64] = s[127 - t];
      arrive_some(4, 128);
    }
  })",
     [](int t) { return 10 * (63 - t % 64) + 3; }},
    {"votes at a barrier of some threads",
     R"(  int n = 0, p = t % 3 == 0;
  if (t >= 32)
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; barrier.cta.red.popc.u32 %0, 5, 96, p; "
                 "bar.red.and.pred q, 5, 96, p; @q add.s32 %0, %0, 1000; "
                 "bar.red.or.pred q, 5, 96, p; @q add.s32 %0, %0, 2000; }" : "+r"(n) : "r"(p));
  out[t] = n;)",
     [](int t) { return t < 32 ? 0 : 2032; }},
    {"a barrier with a number, of all threads that have not ended",
     R"(  __shared__ int s[128];
  s[t] = t;
  out[t] = 7;
  if (t >= 96) return;
  asm volatile("bar.sync 9;" ::: "memory");
  out[t] = s[95 - t];)",
     [](int t) { return t >= 96 ? 7 : 95 - t; }},
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
    {"threads that arrive at their block's barrier before they wait",
     R"(  __shared__ int s[128];
  cg::thread_block block = cg::this_thread_block();
  for (int round = 0; round < 3; ++round) {
    s[t] = t + round;
    auto token = block.barrier_arrive();
    int own = t * round;
    block.barrier_wait(static_cast<decltype(token)&&>(token));
    out[t] = s[127 - t] + own;
    block.sync();
  })",
     [](int t) { return 127 - t + 2 + 2 * t; }},
    {"a thread that ends by PTX",
     R"(  out[t] = 1;
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, 40; @p exit; }" :: "r"(t));
  __syncthreads();
  out[t] = 2;)",
     [](int t) { return t > 40 ? 1 : 2; }},
};

EngineRun run_of(const std::string& body) {
  EngineRun run;
  run.source =
      std::string("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n") +
      kHelpers + "__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n" + body +
      "\n}\n";
  run.entry = "k";
  run.block = {128, 1, 1};
  run.buffers = {buffer_of("in", DType::kI32, 128), buffer_of("out", DType::kI32, 128)};
  run.limit = std::chrono::seconds(20);
  return run;
}

EngineResult run_filled(const EngineRun& run) {
  return run_engine(run, [](EngineResult& made) {
    for (int i = 0; i < 128; ++i) {
      made.buffer<int>(0)[static_cast<std::size_t>(i)] = 3 * i;
    }
  });
}

void check(const Waiting& c, EngineRun run) {
  const EngineResult result = run_filled(run);
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  for (int t = 0; t < 128; ++t) {
    CAPTURE(t);
    CHECK(result.buffer<int>(1)[static_cast<std::size_t>(t)] == c.want(t));
  }
}

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("threads wait as PTX says, in every build and order") {
    for (const Waiting& c : kCases) {
      CAPTURE(std::string(c.name));
      for (const Build build : {Build::kFast, Build::kBounds, Build::kProfile}) {
        EngineRun run = run_of(c.body);
        run.build = build;
        check(c, run);
      }
      for (const RunOrder order : {RunOrder::kDescending, RunOrder::kRandom}) {
        EngineRun run = run_of(c.body);
        run.mode = {.order = order};
        check(c, run);
      }
    }
  }

  TEST_CASE("right waits are no races") {
    for (const Waiting& c : kCases) {
      CAPTURE(std::string(c.name));
      EngineRun run = run_of(c.body);
      run.build = Build::kWatched;
      const EngineResult result = run_filled(run);
      CHECK(result.records.empty());
    }
  }

  TEST_CASE("waits in vain, and copies from outside a buffer, are reported at their lines") {
    struct Wrong {
      const char* body;
      const char* message;
    };

    constexpr Wrong kWrong[] = {
        {"  if (t < 32)\n    asm volatile(\"bar.sync 1, 64;\");",
         "32 threads wait at source:20: none of them can go on"},
        {"  if (t < 64)\n    asm volatile(\"bar.sync 1, 128;\");\n  else\n    "
         "asm volatile(\"bar.sync 2, 128;\");",
         "64 threads wait at source:20, 64 at source:22: none of them can go on"},
        {"  __shared__ __align__(16) int s[512];\n  asm volatile(\"cp.async.cg.shared.global [%0], "
         "[%1], 16;\" :: \"r\"(shared_of(&s[4 * t])), \"l\"(&in[4 * t]) : \"memory\");",
         "out-of-bounds read of 16 bytes at source:20 by thread (32,0,0) of block (0,0,0): "
         "in[128], "
         "but it has 128 elements"},
    };
    for (const Wrong& c : kWrong) {
      const EngineResult result = run_filled(run_of(c.body));
      REQUIRE_FALSE(result.outcome.ok());
      CHECK(result.fault().message == std::string(c.message));
    }
  }

  TEST_CASE("special registers say what there is") {
    const EngineResult result = run_filled(run_of(
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

// Inline PTX on the CPU engine: barriers of a block, of all threads and of some.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/device/cpu/test_ptx_waits.h"

namespace ws::test {
namespace {

const std::vector<Waiting> kBarriers = {
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
    {"a barrier with a number, of a warp some of whose threads have ended",
     R"(  __shared__ int s[128];
  s[t] = t;
  out[t] = 7;
  if (t % 32 >= 20 || t >= 64) return;
  sync_some(6, 64);
  out[t] = s[(t + 32) % 64];)",
     [](int t) { return t % 32 >= 20 || t >= 64 ? 7 : (t + 32) % 64; }},
    {"warps that give and end, lane by lane, and others that wait for all of them",
     R"(  __shared__ int s[64];
  out[t] = t;
  if (t < 64) {
    s[t] = 10 * t;
    arrive_some(3, 128);
    return;
  }
  sync_some(3, 128);
  out[t] = s[127 - t];)",
     [](int t) { return t < 64 ? t : 10 * (127 - t); }},
    {"barrier 0 of all threads, by its number and by name",
     R"(  __shared__ int s[128];
  for (int round = 0; round < 3; ++round) {
    s[t] = t + round;
    if (t < 32) asm volatile("bar.sync 0, 128;" ::: "memory");
    else if (t < 64) sync_some(round & 0, 128);
    else __syncthreads();
    out[t] = s[127 - t];
    if (t < 64) __syncthreads();
    else sync_some(0, 128);
  })",
     [](int t) { return 127 - t + 2; }},
    {"threads that arrive at barrier 0 before others that wait there by name",
     R"(  __shared__ int s[64];
  if (t < 64) {
    s[t] = 5 * t;
    arrive_some(0, 128);
    out[t] = t;
  } else {
    __syncthreads();
    out[t] = s[127 - t];
  })",
     [](int t) { return t < 64 ? t : 5 * (127 - t); }},
};

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("threads wait at barriers as PTX says, in every build and order, without a race") {
    check_waits(kBarriers);
  }

  TEST_CASE("a barrier counts the last warp of a block as a whole one") {
    EngineRun run = waiting_run(
        "  __shared__ int s[128];\n  s[t] = t;\n  sync_some(2, 128);\n  out[t] = s[99 - t];");
    run.block = {100, 1, 1};
    const EngineResult result = run_filled(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    for (int t = 0; t < 100; ++t) {
      CHECK(result.buffer<int>(1)[static_cast<std::size_t>(t)] == 99 - t);
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
      const EngineResult result = run_filled(waiting_run(c.body));
      REQUIRE_FALSE(result.outcome.ok());
      CHECK(result.fault().message == std::string(c.message));
    }
  }
}

}  // namespace ws::test

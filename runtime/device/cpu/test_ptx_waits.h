// Kernels of 128 threads in which threads wait by inline PTX, run in every build and order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

/// The functions that the kernels below use.
inline constexpr const char* kWaitHelpers = R"(
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

inline EngineRun waiting_run(const std::string& body) {
  EngineRun run;
  run.source =
      std::string("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n") +
      kWaitHelpers + "__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n" +
      body + "\n}\n";
  run.entry = "k";
  run.block = {128, 1, 1};
  run.buffers = {buffer_of("in", DType::kI32, 128), buffer_of("out", DType::kI32, 128)};
  run.limit = std::chrono::seconds(20);
  return run;
}

inline EngineResult run_filled(const EngineRun& run) {
  return run_engine(run, [](EngineResult& made) {
    for (int i = 0; i < 128; ++i) {
      made.buffer<int>(0)[static_cast<std::size_t>(i)] = 3 * i;
    }
  });
}

inline void check_waiting(const Waiting& c, EngineRun run) {
  const EngineResult result = run_filled(run);
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  for (int t = 0; t < 128; ++t) {
    CAPTURE(t);
    CHECK(result.buffer<int>(1)[static_cast<std::size_t>(t)] == c.want(t));
  }
}

/// Runs each case in every build and order, and looks for races.
inline void check_waits(const std::vector<Waiting>& cases) {
  for (const Waiting& c : cases) {
    CAPTURE(std::string(c.name));
    for (const Build build : {Build::kFast, Build::kBounds, Build::kProfile}) {
      EngineRun run = waiting_run(c.body);
      run.build = build;
      check_waiting(c, run);
    }
    for (const RunOrder order : {RunOrder::kDescending, RunOrder::kRandom}) {
      EngineRun run = waiting_run(c.body);
      run.mode = {.order = order};
      check_waiting(c, run);
    }
    EngineRun run = waiting_run(c.body);
    run.build = Build::kWatched;
    CHECK(run_filled(run).records.empty());
  }
}

}  // namespace ws::test

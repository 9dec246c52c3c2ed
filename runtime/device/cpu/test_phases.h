// Kernels for tests of phases, and their results on fibers to compare with.
#pragma once

#include <array>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

inline constexpr std::size_t kPhaseElements = 1 << 12;

struct PhaseCase {
  const char* name;
  std::string body;  ///< The body of k(int* x, const int* y, int n), which writes x by index `i`.
  std::array<std::int64_t, 3> block = {64, 1, 1};
  int n = 1000;
};

inline EngineRun phase_run(const PhaseCase& c, Build build) {
  EngineRun run;
  run.source =
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "extern \"C\" __global__ void k(int* x, const int* y, int n) {\n"
      "  int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"
      "  int threads = blockDim.x * blockDim.y * blockDim.z;\n"
      "  int i = blockIdx.x * threads + t;\n" +
      c.body + "\n}";
  run.entry = "k";
  run.build = build;
  run.grid = {5, 1, 1};
  run.block = c.block;
  run.buffers = {buffer_of("x", DType::kI32, kPhaseElements),
                 buffer_of("y", DType::kI32, kPhaseElements)};
  run.args = buffers_and_number(2, c.n);
  return run;
}

inline EngineResult run_phase_case(const EngineRun& run) {
  EngineResult result = run_engine(run, [](EngineResult& before) {
    for (std::size_t i = 0; i < kPhaseElements; ++i) {
      before.buffer<int>(0)[i] = -1;
      before.buffer<int>(1)[i] = static_cast<int>(i * 2654435761U % 1000);
    }
  });
  return result;
}

/// Checks that every build and order gives what fibers give.
inline void check_as_on_fibers(const PhaseCase& c) {
  CAPTURE(std::string(c.name));
  EngineRun on_fibers = phase_run(c, Build::kBounds);
  on_fibers.phases = false;
  const EngineResult want = run_phase_case(on_fibers);
  REQUIRE_MESSAGE(want.outcome.ok(), want.fault().message);
  for (const Build build : {Build::kFast, Build::kBounds}) {
    for (const RunOrder order : {RunOrder::kAscending, RunOrder::kDescending, RunOrder::kRandom}) {
      CAPTURE(static_cast<int>(build));
      CAPTURE(std::string(name_of(order)));
      EngineRun run = phase_run(c, build);
      run.mode.order = order;
      const EngineResult got = run_phase_case(run);
      REQUIRE_MESSAGE(got.outcome.ok(), got.fault().message);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < kPhaseElements; ++i) {
        wrong += got.buffer<int>(0)[i] == want.buffer<int>(0)[i] ? 0U : 1U;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace ws::test

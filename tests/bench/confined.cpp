// The cost of confined addresses: the example kernels, compiled by two builds of the plug-in, run
// by turns in this process on one thread. Processor time, which others on the machine hardly
// change.
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/files.h"
#include "runtime/base/mix64.h"
#include "runtime/device/cpu/block_runner.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/workloads.h"
#include "tests/bench/engine_side.h"

namespace ws::bench {
namespace {

constexpr std::uint64_t kArenaLimit = std::uint64_t{1} << 30U;

struct Case {
  const char* problem;
  const char* kernel;
};

// As in isolation.py.
constexpr Case kCases[] = {
    {"matmul", "naive"},
    {"matmul", "tiled16"},
    {"matmul", "thread_tile"},
    {"reduction", "two_launches"},
    {"softmax", "warp_per_row"},
    {"layernorm", "thread_per_row"},
    {"histogram", "shared_atomics"},
    {"transpose", "naive"},
    {"vadd", "naive"},
    {"vadd", "vector4"},
    {"gemm-f16", "tiled"},
    {"attention-plain", "attention_plain"},
};

/// Floats in [0, 1), whole numbers below 256.
void fill(const ResolvedPlan& plan, const Arena& arena) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const std::span<std::byte> bytes = arena.buffer(i);
    const DType type = plan.buffers[i].type;
    const auto elements = static_cast<std::size_t>(plan.buffers[i].span);
    for (std::size_t at = 0; at < elements; ++at) {
      const std::uint64_t number = mix64(at * 64 + i);
      if (type == DType::kF32) {
        reinterpret_cast<float*>(bytes.data())[at] = static_cast<float>(number >> 40U) / 0x1p24F;
      } else if (type == DType::kF16) {
        reinterpret_cast<std::uint16_t*>(bytes.data())[at] =
            static_cast<std::uint16_t>(0x3400U + (number >> 56U));
      } else if (type == DType::kI32) {
        reinterpret_cast<std::int32_t*>(bytes.data())[at] =
            static_cast<std::int32_t>(number >> 56U);
      }
    }
  }
}

Status measure(const Case& c, const std::vector<const WsClangPlugin*>& plugins, int launches) {
  const std::string folder = std::string(WS_SOURCE_DIR) + "/examples/kernels/" + c.problem + "/";
  WS_TRY(const std::string problem_text, read_file(folder + "problem.json"));
  WS_TRY(const Problem problem, parse_problem(problem_text));
  WS_TRY(const std::string kernel_text, read_file(folder + c.kernel + ".json"));
  WS_TRY(const Kernel kernel, parse_kernel(kernel_text, problem));
  WS_TRY(const std::vector<Workload> workloads, expand_workloads(problem));
  WS_TRY(const ResolvedPlan plan, resolve_plan(problem, kernel, workloads.back(), kernel.defaults));
  WS_TRY(const RenderedSource source, render(kernel, workloads.back(), kernel.defaults));
  WS_TRY(const std::shared_ptr<Arena> arena, Arena::create(plan.buffers, kArenaLimit));
  fill(plan, *arena);
  WS_TRY(cpu::Region region, cpu::Region::reserve());
  std::vector<EngineSide> sides(plugins.size());
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    WS_TRY(CompileOutcome compiled, compile(*plugins[i], source));
    WS_CHECK(sides[i].prepare(std::move(compiled), plan, *arena, region));
  }
  for (int i = 0; i < launches; ++i) {
    for (EngineSide& side : sides) {
      WS_CHECK(side.settle());
      WS_CHECK(side.run());
    }
  }
  const std::string name = std::string(c.problem) + " " + c.kernel;
  std::printf("%-32s", name.c_str());
  for (const double share : {0.5, 0.05}) {
    const double before = sides[0].at(share);
    const double now = sides[1].at(share);
    std::printf("%12.1f us%10.1f us%8.2f", before, now, now / before);
  }
  std::printf("\n");
  std::fflush(stdout);
  return {};
}

Status run(const std::string& build, const std::string& compared_with, int launches) {
  WS_TRY(const WsClangPlugin* const before, plugin_of(compared_with));
  WS_TRY(const WsClangPlugin* const now, plugin_of(build));
  const cpu::BlockRunner runner;
  std::printf("%-32s%15s%13s%8s%15s%13s%8s\n", "kernel", "median before", "now", "ratio",
              "p5 before", "now", "ratio");
  for (const Case& c : kCases) {
    WS_CHECK(measure(c, {before, now}, launches));
  }
  return {};
}

}  // namespace
}  // namespace ws::bench

int main(int argc, char** argv) {
  int launches = 0;
  const std::string_view number = argc == 4 ? argv[3] : "";
  std::from_chars(number.data(), number.data() + number.size(), launches);
  if (launches < 1) {
    std::fprintf(stderr, "usage: ws_confined_bench BUILD BUILD_TO_COMPARE_WITH LAUNCHES\n");
    return 2;
  }
  const ws::Status done = ws::bench::run(argv[1], argv[2], launches);
  if (!done) {
    std::fprintf(stderr, "%s\n", ws::to_text(done.error()).c_str());
  }
  return done ? 0 : 1;
}

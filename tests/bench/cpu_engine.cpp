// The CPU engine's speed beside plain loops: kernels as people write them against the loops that
// compute the same, compiled with -O3 -march=native, by turns in this process on one thread.
// Results are compared. Processor time, which others on the machine hardly change. Besides, how
// many times as long the checked build takes, and, by the clock, how many times as fast two threads
// are as one; so, too, for two copies of the loop at once, which is what the machine has to give.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "runtime/base/mix64.h"
#include "runtime/base/processor_time.h"
#include "runtime/device/cpu/block_runner.h"
#include "tests/bench/cpu_engine/cases.h"
#include "tests/bench/engine_side.h"
#include "tests/support/buffers.h"

namespace ws::bench {
namespace {

constexpr std::uint64_t kArenaLimit = std::uint64_t{1} << 30U;
constexpr float kTolerance = 1e-3F;
constexpr int kRounds = 5;  ///< How often each build of a kernel has its turn.

ResolvedPlan plan_of(const Case& c) {
  ResolvedPlan plan;
  LaunchStep step;
  step.entry = c.entry;
  step.grid = c.grid;
  step.block = c.block;
  plan.buffers = {test::buffer_of("a", DType::kF32, c.in)};
  if (c.two_inputs) {
    plan.buffers.push_back(test::buffer_of("b", DType::kF32, c.in));
  }
  plan.buffers.push_back(test::buffer_of("c", DType::kF32, c.out));
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    LaunchArg argument;
    argument.kind = LaunchArg::Kind::kBuffer;
    argument.buffer = static_cast<int>(i);
    step.args.push_back(argument);
  }
  for (const int number : {c.rows, c.columns}) {
    if (number != 0) {
      LaunchArg argument;
      argument.int_value = number;
      step.args.push_back(argument);
    }
  }
  plan.steps = {step};
  if (c.loop == loop_sum) {
    LaunchStep last;
    last.entry = "sum_of_sums";
    last.block = {1024, 1, 1};
    LaunchArg blocks;
    blocks.int_value = c.grid[0];
    last.args = {step.args[1], blocks};
    plan.steps.push_back(last);
  }
  return plan;
}

float* floats_of(const Arena& arena, std::size_t buffer) {
  return reinterpret_cast<float*>(arena.buffer(buffer).data());
}

Status compare(const Case& c, const float* got, const std::vector<float>& want) {
  const std::size_t compared = c.loop == loop_sum ? 1 : want.size();
  for (std::size_t i = 0; i < compared; ++i) {
    if (!(std::abs(got[i] - want[i]) <= kTolerance * std::max(1.0F, std::abs(want[i])))) {
      return fail(ErrorCode::kInternal, std::string(c.entry) + " is wrong at " + std::to_string(i));
    }
  }
  return {};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Runs a function so often on each of `threads` threads at once. @return The time that passed, in
/// microseconds.
template <typename Function>
double time_at_once(std::size_t threads, int times, const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::jthread> running;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      for (int i = 0; i < times; ++i) {
        function(thread);
      }
    });
  }
  running.clear();
  return elapsed_ms(start) * 1000;
}

Status measure(const Case& c, const WsClangPlugin& plugin, const std::string& text, int launches) {
  RenderedSource source;
  source.language = "cuda";
  source.source = text;
  const ResolvedPlan plan = plan_of(c);
  for (const LaunchStep& step : plan.steps) {
    source.entries.push_back(step.entry);
  }
  WS_TRY(const std::shared_ptr<Arena> arena, Arena::create(plan.buffers, kArenaLimit));
  const std::size_t output = plan.buffers.size() - 1;
  for (std::size_t buffer = 0; buffer < output; ++buffer) {
    for (std::int64_t i = 0; i < c.in; ++i) {
      floats_of(*arena, buffer)[i] =
          static_cast<float>(mix64(static_cast<std::uint64_t>(2 * i) + buffer) >> 40U) / 0x1p24F;
    }
  }
  WS_TRY(cpu::Region region, cpu::Region::reserve());
  WS_TRY(CompileOutcome compiled, compile(plugin, source));
  WS_TRY(CompileOutcome checked, compile(plugin, source, Build::kBounds));
  EngineSide side;
  EngineSide checked_side;
  std::array<EngineSide, 2> by_threads;  // One thread, and two.
  WS_CHECK(checked_side.prepare(std::move(checked), plan, *arena, region));
  for (unsigned helpers = 0; helpers < by_threads.size(); ++helpers) {
    WS_CHECK(by_threads.at(helpers).prepare(compiled, plan, *arena, region, helpers));
  }
  WS_CHECK(side.prepare(std::move(compiled), plan, *arena, region));
  std::vector<float> want(static_cast<std::size_t>(c.out));
  std::array<std::vector<float>, 2> copies = {want, want};
  std::vector<double> loop_us;
  std::vector<double> loop_gains;
  const float* const second = c.two_inputs ? floats_of(*arena, 1) : nullptr;
  c.loop(floats_of(*arena, 0), second, want.data(), c.rows, c.columns);
  const auto run_copy = [&](std::size_t copy) {
    c.loop(floats_of(*arena, 0), second, copies.at(copy).data(), c.rows, c.columns);
  };
  for (int round = 0; round < kRounds; ++round) {
    loop_gains.push_back(2 * time_at_once(1, launches, run_copy) /
                         time_at_once(2, launches, run_copy));
    for (EngineSide& threads : by_threads) {
      WS_CHECK(threads.settle());
      for (int i = 0; i < launches; ++i) {
        WS_CHECK(threads.run_by_the_clock());
      }
      WS_CHECK(compare(c, floats_of(*arena, output), want));
    }
    WS_CHECK(checked_side.settle());
    for (int i = 0; i < launches; ++i) {
      WS_CHECK(checked_side.run());
    }
    WS_CHECK(compare(c, floats_of(*arena, output), want));
    WS_CHECK(side.settle());
    for (int i = 0; i < launches; ++i) {
      const auto before = thread_processor_time();
      c.loop(floats_of(*arena, 0), second, want.data(), c.rows, c.columns);
      loop_us.push_back(
          std::chrono::duration<double, std::micro>(thread_processor_time() - before).count());
      WS_CHECK(side.run());
    }
    WS_CHECK(compare(c, floats_of(*arena, output), want));
  }
  const double loop = median(loop_us);
  const double engine = side.at(0.5);
  const double share = loop / engine;
  std::printf("%-18s%12.0f%12.0f%10.4f%8.1f%10.1f%10.2f%8.2f  %s\n", c.entry, loop, engine, share,
              c.goal, checked_side.at(0.5) / engine, by_threads[0].at(0.5) / by_threads[1].at(0.5),
              median(loop_gains), share >= c.goal ? "" : "missed");
  std::fflush(stdout);
  return {};
}

Status run(const std::string& build, int launches, const std::string& only) {
  WS_TRY(const WsClangPlugin* const plugin, plugin_of(build));
  WS_TRY(const std::string text,
         read_file(std::string(WS_SOURCE_DIR) + "/tests/bench/cpu_engine/kernels.cu"));
  const cpu::BlockRunner runner;
  std::printf("%-18s%12s%12s%10s%8s%10s%10s%8s\n", "kernel", "loop, us", "engine, us", "speed",
              "goal", "checked", "threads", "copies");
  for (const Case& c : kCases) {
    if (std::string(c.entry).starts_with(only)) {
      WS_CHECK(measure(c, *plugin, text, launches));
    }
  }
  return {};
}

}  // namespace
}  // namespace ws::bench

int main(int argc, char** argv) {
  int launches = 0;
  const std::string_view number = argc >= 3 ? argv[2] : "";
  std::from_chars(number.data(), number.data() + number.size(), launches);
  if (launches < 1) {
    std::fprintf(stderr, "usage: ws_cpu_engine_bench BUILD LAUNCHES_A_ROUND [KERNEL]\n");
    return 2;
  }
  const ws::Status done = ws::bench::run(argv[1], launches, argc > 3 ? argv[3] : "");
  if (!done) {
    std::fprintf(stderr, "%s\n", ws::to_text(done.error()).c_str());
  }
  return done ? 0 : 1;
}

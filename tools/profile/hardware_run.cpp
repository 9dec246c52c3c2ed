#include "tools/profile/hardware_run.h"

#include "runtime/bench/statistics.h"

namespace ws {
namespace {

constexpr std::uint32_t kLaunches = 9;
constexpr std::chrono::milliseconds kTimingLimit{20'000};
constexpr std::chrono::milliseconds kCountingLimit{60'000};

/// The same buffers in a worker that counts. A refusal is no failure: there are other numbers.
Status count(Backend& backend, const Compiled& compiled, const Prepared& prepared,
             const std::stop_token& stop, HardwareRun& run) {
  auto* const counter = dynamic_cast<CountsInHardware*>(&backend);
  if (counter == nullptr) {
    run.no_counters = "this device has no counters of its own";
    return {};
  }
  WS_TRY(const RunPlan plan, bind_plan(compiled.plan, compiled.image(), *prepared.arena));
  auto counters = counter->count(compiled.image(), plan, prepared.arena, kCountingLimit, stop);
  if (counters) {
    run.counters = *std::move(counters);
    return {};
  }
  if (counters.error().code == ErrorCode::kCancelled) {
    return fail(counters.error());
  }
  run.no_counters = to_text(counters.error());
  return {};
}

}  // namespace

Result<HardwareRun> run_on_gpu(Backend& backend, const Subject& subject,
                               const ProfileQuestion& question, const std::stop_token& stop) {
  HardwareRun run;
  WS_TRY(const ReadyRun ready, make_ready(backend, subject, question, Build::kFast, stop));
  const Compiled& compiled = ready.compiled;
  if (!ready.prepared) {
    run.verdict = compiled.verdict;
    run.message = compiled.message;
    return run;
  }
  const Prepared& prepared = *ready.prepared;
  // Before the timing, which leaves outputs in the arena.
  WS_CHECK(count(backend, compiled, prepared, stop, run));
  const TimingRequest request{
      .poison = launch_poison(question.secret, "candidate"), .launches = kLaunches, .hot = 0};
  WS_TRY(const TimingOutcome timing, prepared.session->time(request, kTimingLimit, stop));
  if (!timing.run.ok()) {
    run.fault = describe_fault(timing.run, compiled.image(), prepared.plan, kTimingLimit);
    run.verdict = run.fault->verdict;
    run.message = run.fault->message;
    return run;
  }
  std::vector<double> times;
  for (const TimingSample& sample : timing.samples) {
    times.push_back(sample.us);
  }
  run.us = median(times);
  return run;
}

}  // namespace ws

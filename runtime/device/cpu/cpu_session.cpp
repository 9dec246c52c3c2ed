#include "runtime/device/cpu/cpu_session.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "runtime/device/cpu/doorbell.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/launch_time.h"
#include "runtime/queue/worker_call.h"

namespace ws::cpu {
namespace {

/// How long a stopped worker may take to say where it was.
constexpr std::chrono::milliseconds kLastWord{200};
/// From a worker's last byte to its end: long for a process that dies, short for one that lives on.
constexpr std::chrono::milliseconds kLastBreath{200};
constexpr std::chrono::seconds kCountersDeadline{10};
constexpr std::size_t kMaxCountersFrame = std::size_t{64} << 20U;

/// A reply frame; anything that is not one counts as a worker that died.
std::optional<RunReply> parse_reply(const Result<std::string>& frame) {
  RunReply reply;
  if (!frame || frame->size() != sizeof reply) {
    return std::nullopt;
  }
  std::memcpy(&reply, frame->data(), sizeof reply);
  if (reply.status > RunStatus::kStopped) {
    return std::nullopt;  // The worker is as hostile as its kernel.
  }
  return reply;
}

Doorbell doorbell_of(const RunMode& mode, std::uint64_t poison) {
  return {.poison = poison,
          .order = mode.order,
          .keep_variables = static_cast<std::uint8_t>(mode.keep_variables ? 1 : 0),
          .watch_variables = static_cast<std::uint8_t>(mode.watch_variables ? 1 : 0),
          .zero_memory = static_cast<std::uint8_t>(mode.zero_memory || mode.sparse ? 1 : 0),
          .ascending_blocks = static_cast<std::uint8_t>(mode.ascending_blocks ? 1 : 0),
          .sparse = static_cast<std::uint8_t>(mode.sparse ? 1 : 0)};
}

}  // namespace

Result<RunOutcome> CpuSession::run(std::uint64_t poison, std::chrono::milliseconds limit,
                                   const std::stop_token& stop) {
  return launch(doorbell_of({}, poison), limit, stop);
}

Result<RunOutcome> CpuSession::run_as(const RunMode& mode, std::uint64_t poison,
                                      std::chrono::milliseconds limit,
                                      const std::stop_token& stop) {
  Doorbell doorbell = doorbell_of(mode, poison);
  doorbell.elsewhere = 1;
  return launch(doorbell, limit, stop);
}

Result<RunOutcome> CpuSession::launch(const Doorbell& doorbell, std::chrono::milliseconds limit,
                                      const std::stop_token& stop) {
  RunOutcome outcome;
  const Result<std::string> frame = ring(doorbell, limit, stop, outcome);
  if (!frame && frame.error().code == ErrorCode::kCancelled) {
    process_.finish();
    return fail(frame.error());
  }
  if (!frame && frame.error().code == ErrorCode::kTimeout) {
    ask_where(outcome);
  } else if (const std::optional<RunReply> reply = parse_reply(frame)) {
    outcome.reply = *reply;
    WS_CHECK(halt(outcome));
  } else {
    outcome.end = RunOutcome::End::kDied;
    WS_TRY(outcome.signal, end_lost_worker(process_, kLastBreath));
  }
  if (restless_ && outcome.ok()) {
    outcome.end = RunOutcome::End::kRestless;
  }
  if (!outcome.ok()) {
    process_.finish();
  }
  return outcome;
}

Result<TimingOutcome> CpuSession::time(const TimingRequest& request,
                                       std::chrono::milliseconds limit,
                                       const std::stop_token& stop) {
  TimingOutcome timing;
  WS_TRY(timing.run, run(request.poison, limit, stop));
  if (timing.run.ok()) {
    TimingSample sample;
    sample.us = timing.run.elapsed_us;
    timing.samples.push_back(sample);
  }
  return timing;
}

Result<std::string> CpuSession::ask(char question) {
  WS_CHECK(send_frame(process_.socket(), {&question, 1}));
  [[maybe_unused]] const auto moved = standstill_.go_on();  // Nothing is timed or compared here.
  auto frame =
      receive_frame(process_.socket(), kMaxCountersFrame, Clock::now() + kCountersDeadline);
  WS_CHECK(standstill_.stop());
  if (!frame) {
    process_.finish();
    return fail(ErrorCode::kDeviceLost, "the worker did not say what it has counted", {},
                to_text(frame.error()));
  }
  return std::move(frame->payload);
}

Result<ProfileCounters> CpuSession::counters() {
  WS_TRY(const std::string frame, ask(kAskCounters));
  ProfileCounters counters = zeros_;
  if (const Status read = decode_counters(frame, counters); !read) {
    process_.finish();
    return fail(ErrorCode::kDeviceLost, "the worker did not give its counters", {},
                to_text(read.error()));
  }
  return counters;
}

Result<RaceReport> CpuSession::races(const Image& image, const RunPlan& plan) {
  WS_TRY(const std::string frame, ask(kAskRaces));
  auto report = decode_races(frame, image, plan);
  if (!report) {
    process_.finish();
    return fail(ErrorCode::kDeviceLost, "the worker did not say which races there were", {},
                to_text(report.error()));
  }
  return report;
}

Result<std::string> CpuSession::ring(const Doorbell& doorbell, std::chrono::milliseconds limit,
                                     const std::stop_token& stop, RunOutcome& outcome) {
  const WorkerCall call(process_.socket(), stop);
  const auto start = Clock::now();
  // The doorbell waits for the process, not the process for the doorbell: it wakes once.
  const Status rung = call.send({reinterpret_cast<const char*>(&doorbell), sizeof doorbell});
  restless_ = standstill_.go_on().count() > 0;
  Result<std::string> frame = rung ? wait_for_launch(call, sizeof(RunReply), limit, start,
                                                     [this] { return standstill_.used_so_far(); })
                                   : Result<std::string>(fail(rung.error()));
  outcome.elapsed_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  return frame;
}

Status CpuSession::halt(RunOutcome& outcome) {
  const auto at_reply = processor_time_of(process_.pid());
  WS_CHECK(standstill_.stop());
  using Microseconds = std::chrono::duration<double, std::micro>;
  outcome.cpu_us = Microseconds(standstill_.used()).count();
  if (at_reply) {
    outcome.elapsed_us += Microseconds(standstill_.used_after(*at_reply)).count();
  }
  return {};
}

void CpuSession::ask_where(RunOutcome& outcome) {
  outcome.end = RunOutcome::End::kTimedOut;
  process_.signal(SIGUSR1);
  const WorkerCall call(process_.socket(), {});
  const std::optional<RunReply> last =
      parse_reply(call.wait(sizeof(RunReply), Clock::now() + kLastWord));
  if (last && last->status == RunStatus::kStopped) {
    outcome.reply = *last;
  }
}

}  // namespace ws::cpu

#include "runtime/device/cpu/cpu_backend.h"

#include <csignal>
#include <cstring>

#include "runtime/base/parallel.h"
#include "runtime/compile/clang_service.h"
#include "runtime/device/cpu/doorbell.h"
#include "runtime/device/cpu/standstill.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/worker_call.h"
#include "runtime/queue/worker_pool.h"

namespace ws {
namespace {

constexpr std::chrono::seconds kLoadDeadline{10};
/// How long a stopped worker may take to say where it was.
constexpr std::chrono::milliseconds kLastWord{200};
/// From a worker's last byte to its end: long for a process that dies, short for one that lives on.
constexpr std::chrono::milliseconds kLastBreath{200};
constexpr std::size_t kMaxReadyFrame = 4096;
constexpr std::chrono::seconds kCountersDeadline{10};
constexpr std::size_t kMaxCountersFrame = std::size_t{64} << 20U;
constexpr std::size_t kSpareWorkers = 2;  // A candidate's and a baseline's or reference's.

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

cpu::Doorbell doorbell_of(const RunMode& mode, std::uint64_t poison) {
  return {.poison = poison,
          .order = mode.order,
          .keep_variables = static_cast<std::uint8_t>(mode.keep_variables ? 1 : 0),
          .watch_variables = static_cast<std::uint8_t>(mode.watch_variables ? 1 : 0),
          .zero_memory = static_cast<std::uint8_t>(mode.zero_memory || mode.sparse ? 1 : 0),
          .ascending_blocks = static_cast<std::uint8_t>(mode.ascending_blocks ? 1 : 0),
          .sparse = static_cast<std::uint8_t>(mode.sparse ? 1 : 0)};
}

/// The worker stands still but for run() and counters(): buffers are filled and compared then.
class CpuSession : public Session {
 public:
  /// @param standstill  Of the process, which stands still.
  /// @param zeros  Counters of the image and plan, all zero.
  CpuSession(WorkerProcess process, Standstill standstill, std::shared_ptr<Arena> arena,
             ProfileCounters zeros)
      : process_(std::move(process)),
        standstill_(standstill),
        arena_(std::move(arena)),
        zeros_(std::move(zeros)) {}

  Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                         const std::stop_token& stop) override {
    return run_as({}, poison, limit, stop);
  }

  [[nodiscard]] bool has_modes() const override { return true; }

  Result<RunOutcome> run_as(const RunMode& mode, std::uint64_t poison,
                            std::chrono::milliseconds limit, const std::stop_token& stop) override {
    RunOutcome outcome;
    const Result<std::string> frame = ring(doorbell_of(mode, poison), limit, stop, outcome);
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

  Result<TimingOutcome> time(const TimingRequest& request, std::chrono::milliseconds limit,
                             const std::stop_token& stop) override {
    TimingOutcome timing;
    WS_TRY(timing.run, run(request.poison, limit, stop));
    if (timing.run.ok()) {
      TimingSample sample;
      sample.us = timing.run.elapsed_us;
      timing.samples.push_back(sample);
    }
    return timing;
  }

  Result<ProfileCounters> counters() override {
    WS_CHECK(send_frame(process_.socket(), {&kAskCounters, 1}));
    [[maybe_unused]] const auto moved = standstill_.go_on();  // Nothing is timed or compared here.
    auto frame =
        receive_frame(process_.socket(), kMaxCountersFrame, Clock::now() + kCountersDeadline);
    WS_CHECK(standstill_.stop());
    ProfileCounters counters = zeros_;
    const Status read =
        frame ? decode_counters(frame->payload, counters) : Status(fail(frame.error()));
    if (!read) {
      process_.finish();
      return fail(ErrorCode::kDeviceLost, "the worker did not give its counters", {},
                  to_text(read.error()));
    }
    return counters;
  }

 private:
  /// The doorbell, and how long its reply took. @errors as WorkerCall::wait().
  Result<std::string> ring(const cpu::Doorbell& doorbell, std::chrono::milliseconds limit,
                           const std::stop_token& stop, RunOutcome& outcome) {
    const WorkerCall call(process_.socket(), stop);
    const auto start = Clock::now();
    // The doorbell waits for the process, not the process for the doorbell: it wakes once.
    const Status rung = call.send({reinterpret_cast<const char*>(&doorbell), sizeof doorbell});
    restless_ = standstill_.go_on().count() > 0;
    Result<std::string> frame =
        rung ? call.wait(sizeof(RunReply), start + limit) : Result<std::string>(fail(rung.error()));
    outcome.elapsed_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    return frame;
  }

  /// After the reply. What the process still worked when it had replied counts as time: a reply
  /// that comes before the work is done gains nothing.
  Status halt(RunOutcome& outcome) {
    const auto at_reply = processor_time_of(process_.pid());
    WS_CHECK(standstill_.stop());
    using Microseconds = std::chrono::duration<double, std::micro>;
    outcome.cpu_us = Microseconds(standstill_.used()).count();
    if (at_reply) {
      outcome.elapsed_us += Microseconds(standstill_.used_after(*at_reply)).count();
    }
    return {};
  }

  /// Past the deadline: the worker says where its kernel is, then it is killed.
  void ask_where(RunOutcome& outcome) {
    outcome.end = RunOutcome::End::kTimedOut;
    process_.signal(SIGUSR1);
    const WorkerCall call(process_.socket(), {});
    const std::optional<RunReply> last =
        parse_reply(call.wait(sizeof(RunReply), Clock::now() + kLastWord));
    if (last && last->status == RunStatus::kStopped) {
      outcome.reply = *last;
    }
  }

  WorkerProcess process_;
  Standstill standstill_;
  std::shared_ptr<Arena> arena_;
  ProfileCounters zeros_;
  bool restless_ = false;  // It did not stand still before the last doorbell.
};

CompileService::Options gated(CompileService::Options options, std::shared_ptr<CoreGate> cores) {
  options.cores = std::move(cores);
  return options;
}

class CpuBackend : public Backend {
 public:
  CpuBackend(const std::string& executable, std::shared_ptr<CompileStore> store,
             std::shared_ptr<CoreGate> cores)
      : cores_(std::move(cores)),
        compiler_(gated(clang_service(executable, std::move(store)), cores_)),
        workers_({executable, "run", kSpareWorkers, WorkerOutput::kKept}) {}

  Result<DeviceInfo> info() override {
    WS_TRY(const CompilerInfo compiler, compiler_.info());
    DeviceInfo device;
    device.id = "cpu:0";
    device.backend = "cpu";
    device.name = "CPU engine, " + std::to_string(core_count()) + " cores";
    device.arch = compiler.arch;
    device.toolkit = compiler.version;
    device.languages = {"cuda", "hip"};
    device.emulated = true;
    return device;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    return compiler_.compile(request, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    const std::string load = encode_load(image, plan);
    const ProfileCounters zeros(image.profile, plan.steps.size());
    auto session = load_worker(load, arena, zeros);
    // Workers that were started ahead may have died while they waited; a fresh one has not.
    for (std::size_t spare = 0; spare < kSpareWorkers && lost(session); ++spare) {
      session = load_worker(load, arena, zeros);
    }
    return session;
  }

  Result<CoreGate::Hold> quiet(const std::stop_token& stop) override { return cores_->own(stop); }

  void warm() override {
    compiler_.warm();
    workers_.warm();
  }

 private:
  static bool lost(const Result<std::unique_ptr<Session>>& session) {
    return !session && session.error().code == ErrorCode::kDeviceLost;
  }

  Result<std::unique_ptr<Session>> load_worker(const std::string& load,
                                               const std::shared_ptr<Arena>& arena,
                                               const ProfileCounters& zeros) {
    WS_TRY(WorkerProcess process, workers_.take());
    WS_CHECK(send_frame(process.socket(), load, arena->fd()));
    WS_TRY(const Received ready,
           receive_frame(process.socket(), kMaxReadyFrame, Clock::now() + kLoadDeadline));
    if (!ready.payload.empty()) {
      return fail(ErrorCode::kInternal, "a worker process could not load the kernel", {},
                  ready.payload);
    }
    Standstill standstill(process.pid());
    WS_CHECK(standstill.stop());
    return std::make_unique<CpuSession>(std::move(process), standstill, arena, zeros);
  }

  std::shared_ptr<CoreGate> cores_;
  CompileService compiler_;
  WorkerPool workers_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(const std::string& executable,
                                          std::shared_ptr<CompileStore> store,
                                          std::shared_ptr<CoreGate> cores) {
  return std::make_unique<CpuBackend>(executable, std::move(store), std::move(cores));
}

}  // namespace ws

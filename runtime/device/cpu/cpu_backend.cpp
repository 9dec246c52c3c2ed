#include "runtime/device/cpu/cpu_backend.h"

#include "runtime/base/parallel.h"
#include "runtime/compile/clang_service.h"
#include "runtime/device/cpu/cpu_session.h"
#include "runtime/device/cpu/launch.h"
#include "runtime/device/cpu/races/race_watch.h"
#include "runtime/device/live_blocks.h"
#include "runtime/device/sanitizer.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/worker_pool.h"

namespace ws {
namespace {

constexpr std::chrono::seconds kLoadDeadline{10};
constexpr std::size_t kMaxReadyFrame = 4096;
/// Any but kNoLaunch: results are not compared.
constexpr std::uint64_t kWatchedPoison = 1;
constexpr std::size_t kSpareWorkers = 2;  // A candidate's and a baseline's or reference's.

CompileService::Options gated(CompileService::Options options, std::shared_ptr<CoreGate> cores) {
  options.cores = std::move(cores);
  return options;
}

/// Whether there is memory for all blocks of the cooperative launches of a watched build, whose
/// threads need larger stacks. @errors kUnsupported: there is not.
Status check_watched_room(const Image& image, const RunPlan& plan) {
  for (const RunStep& step : plan.steps) {
    const CompiledEntry& entry = image.entries.at(step.entry);
    const std::uint64_t blocks = cpu::blocks_of(step);
    const std::uint64_t room =
        kMostLiveBytes / live_block_bytes(entry, cpu::threads_of(step), step.dynamic_shared_bytes,
                                          cpu::RaceWatch::kStackBytes);
    if (step.cooperative && blocks > room) {
      return fail(ErrorCode::kUnsupported, "the CPU engine has memory to look for races in " +
                                               std::to_string(room) +
                                               " blocks of a cooperative launch of `" + entry.name +
                                               "`, which has " + std::to_string(blocks));
    }
  }
  return {};
}

class CpuBackend : public Backend, public Sanitizes {
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
    device.features = {"cooperative", "textures"};
    device.limits.max_live_bytes = kMostLiveBytes;
    return device;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    return compiler_.compile(request, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    WS_TRY(std::unique_ptr<cpu::CpuSession> session, open_session(image, plan, arena));
    return session;
  }

  Result<CoreGate::Hold> quiet(const std::stop_token& stop) override { return cores_->own(stop); }

  void warm() override {
    compiler_.warm();
    workers_.warm();
  }

  [[nodiscard]] std::optional<Error> no_sanitizer() const override { return std::nullopt; }

  [[nodiscard]] std::vector<SanitizerTool> tools() const override {
    return {SanitizerTool::kEngine};
  }

  [[nodiscard]] Build build() const override { return Build::kWatched; }

  Result<std::vector<SanitizerRecord>> sanitize(const Image& image, const RunPlan& plan,
                                                std::shared_ptr<Arena> arena,
                                                SanitizerTool /*tool*/,
                                                std::chrono::milliseconds limit,
                                                const std::stop_token& stop) override {
    WS_CHECK(check_watched_room(image, plan));
    WS_TRY(const std::unique_ptr<cpu::CpuSession> session, open_session(image, plan, arena));
    WS_TRY(const RunOutcome outcome, session->run(kWatchedPoison, limit, stop));
    if (outcome.end == RunOutcome::End::kTimedOut) {
      return fail(ErrorCode::kTimeout, "the CPU engine was still watching accesses after " +
                                           std::to_string(limit.count() / 1000) + " s");
    }
    if (!outcome.ok()) {
      return fail(ErrorCode::kUnsupported, "the kernel went wrong while its accesses were watched");
    }
    WS_TRY(const cpu::RaceReport report, session->races(image, plan));
    if (!report.complete && report.records.empty()) {
      return fail(ErrorCode::kTimeout, "no race in the first " +
                                           std::to_string(cpu::RaceWatch::kMostWork / 1'000'000) +
                                           " million accesses");
    }
    return cpu::sanitizer_records(report, image, plan);
  }

 private:
  using OpenedSession = Result<std::unique_ptr<cpu::CpuSession>>;

  static bool lost(const OpenedSession& session) {
    return !session && session.error().code == ErrorCode::kDeviceLost;
  }

  OpenedSession open_session(const Image& image, const RunPlan& plan,
                             const std::shared_ptr<Arena>& arena) {
    const std::string load = encode_load(image, plan);
    const ProfileCounters zeros(image.profile, plan.steps.size());
    auto session = load_worker(load, arena, zeros);
    // Workers that were started ahead may have died while they waited; a fresh one has not.
    for (std::size_t spare = 0; spare < kSpareWorkers && lost(session); ++spare) {
      session = load_worker(load, arena, zeros);
    }
    return session;
  }

  OpenedSession load_worker(const std::string& load, const std::shared_ptr<Arena>& arena,
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
    return std::make_unique<cpu::CpuSession>(std::move(process), standstill, arena, zeros);
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

#include "runtime/device/cuda/sanitize/sanitized_run.h"

#include <sys/mman.h>

#include "runtime/base/files.h"
#include "runtime/device/cuda/gpu_lock.h"
#include "runtime/device/cuda/sanitize/report.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/queue/worker_call.h"

namespace ws::cuda {
namespace {

constexpr std::size_t kMaxFrame = std::size_t{256} << 10U;
/// Records before the program stops to write; each thread that errs makes one.
constexpr const char* kMostRecords = "200";

WatchingProgram command_of(const SanitizedWorker& worker, SanitizerTool tool, int report) {
  return {
      .path = worker.program,
      .arguments = {"--tool", std::string(name_of(tool)), "--log-file",
                    "/proc/self/fd/" + std::to_string(kReportFile), "--print-limit", kMostRecords,
                    "--show-backtrace", "device", "--report-api-errors", "no", "--check-exit-code",
                    "no", "--demangle", "simple", "--racecheck-detect-level", "error"},
      .report = report};
}

/// A conversation with the worker; every wait ends at one deadline.
class Conversation {
 public:
  Conversation(const WorkerProcess& process, const std::stop_token& stop,
               Clock::time_point deadline)
      : call_(process.socket(), stop),
        deadline_(deadline) {}

  Result<std::string> ask(std::string_view question, int fd = -1) {
    WS_CHECK(call_.send(question, fd));
    return call_.wait(kMaxFrame, deadline_);
  }

  /// Rings once and waits for the reply, whatever it says: a kernel that errs may end its worker.
  Status ring() {
    constexpr std::uint64_t kPoison = 1;
    WS_CHECK(call_.send({reinterpret_cast<const char*>(&kPoison), sizeof kPoison}));
    Result<std::string> reply = ask({&kGo, 1});
    if (reply && *reply == std::string_view(&kFree, 1)) {
      reply = call_.wait(kMaxReplyFrame, deadline_);
    }
    const bool ended = !reply && reply.error().code == ErrorCode::kDeviceLost;
    return reply || ended ? Status() : fail(reply.error());
  }

 private:
  WorkerCall call_;
  const Clock::time_point deadline_;
};

/// @return The buffers' addresses.
Result<BufferAddresses> run_plan(const WorkerProcess& process, const SanitizedWorker& worker,
                                 const SanitizedJob& job, Clock::time_point deadline,
                                 const std::stop_token& stop) {
  Conversation with(process, stop, deadline);
  WS_TRY(const std::string attached, with.ask(encode_attach(worker.request)));
  WS_TRY(const std::vector<CudaDevice> devices, decode_attached(attached));
  if (devices.size() != 1) {
    return fail(ErrorCode::kInternal, "a GPU worker did not say which device it has");
  }
  WS_TRY(const std::string loaded, with.ask(encode_load(job.image, job.plan), job.arena.fd()));
  WS_CHECK(decode_loaded(loaded));
  WS_TRY(const std::string answer, with.ask({&kAskAddresses, 1}));
  WS_TRY(BufferAddresses addresses, decode_addresses(answer));
  WS_TRY(GpuLock lock, GpuLock::open(worker.lock_folder, devices.front().uuid));
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  WS_CHECK(lock.acquire(GpuLock::Use::kShared, left, stop));
  WS_CHECK(with.ring());
  return addresses;
}

/// The last line that the program says about itself: "Error: Target application terminated".
std::string last_error(const std::string& report) {
  const std::size_t at = report.rfind("========= Error: ");
  return at == std::string::npos ? "" : report.substr(at + 10, report.find('\n', at) - at - 10);
}

Error too_long(SanitizerTool tool, std::chrono::milliseconds limit) {
  return {ErrorCode::kTimeout,
          std::string(name_of(tool)) + " took longer than " + std::to_string(limit.count()) + " ms",
          {},
          {}};
}

}  // namespace

Result<std::vector<SanitizerRecord>> run_sanitized(const SanitizedWorker& worker,
                                                   const SanitizedJob& job,
                                                   std::chrono::milliseconds limit,
                                                   const std::stop_token& stop) {
  const auto deadline = Clock::now() + limit;
  const Fd report(::memfd_create("report", MFD_CLOEXEC));
  if (!report.valid()) {
    return fail_errno("memfd_create", "no memory for a report");
  }
  WS_TRY(WorkerProcess process,
         WorkerProcess::start_under(command_of(worker, job.tool, report.get()), worker.executable,
                                    "cuda"));
  const Result<BufferAddresses> addresses = run_plan(process, worker, job, deadline, stop);
  if (!addresses && addresses.error().code == ErrorCode::kTimeout) {
    return fail(too_long(job.tool, limit));
  }
  if (!addresses && addresses.error().code != ErrorCode::kDeviceLost) {
    return fail(addresses.error());
  }
  process.close_socket();  // The worker ends, and then the program writes the rest of its report.
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  process.finish(std::max(left, std::chrono::milliseconds(0)));
  WS_TRY(const std::string text, read_file("/proc/self/fd/" + std::to_string(report.get())));
  if (!addresses || text.find("SUMMARY") == std::string::npos) {
    return fail(ErrorCode::kDeviceLost,
                std::string(name_of(job.tool)) + " ended before its report was complete",
                "check that `" + worker.program + " --version` fits this driver", last_error(text));
  }
  return read_report(job.tool, text, job.plan, *addresses);
}

}  // namespace ws::cuda

#include "runtime/worker/confined_child.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/work_owner.h"
#include "runtime/compile/compile.h"
#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"

namespace ws {
namespace {

constexpr std::size_t kMaxRequest = std::size_t{32} << 20U;
constexpr std::size_t kMaxOutcome = std::size_t{64} << 20U;
constexpr int kPollMs = 100;
/// From a process's last byte to its end.
constexpr int kLastBreathMs = 1000;
constexpr std::chrono::seconds kSendTime{10};  // For an answer that has begun to come.

[[noreturn]] void run_child(const CompileLimits& limits, const CompileFn& compile, int socket) {
  ::close(kWorkerSocket);  // The server is not its to talk to.
  for (const int file : limits.scratch_files) {
    if (::ftruncate(file, 0) != 0) {
      ::_exit(1);
    }
  }
  const Status confined = cpu::enter_sandbox(
      {.memory_bytes = cpu::memory_limit(limits.memory_bytes),
       .cpu_seconds = limits.cpu_seconds * static_cast<std::uint64_t>(limits.compiles),
       .readable_folder = limits.readable_folder,
       .memory_files = limits.memory_files,
       .scratch_files = limits.scratch_files,
       .scratch_bytes = limits.scratch_bytes});
  if (!confined) {
    ::_exit(1);
  }
  for (int i = 0; i < limits.compiles; ++i) {
    const Result<Received> request = receive_frame(socket, kMaxRequest);
    if (!request || !send_frame(socket, compile(request->payload))) {
      ::_exit(1);
    }
  }
  ::_exit(0);
}

class CompileChild {
 public:
  static Result<CompileChild> start(const CompileLimits& limits, const CompileFn& compile) {
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
      return fail_errno("socketpair", "cannot start a compile");
    }
    CompileChild child(limits);
    child.socket_ = Fd(pair[0]);
    const Fd theirs(pair[1]);
    child.pid_ = ::fork();
    if (child.pid_ < 0) {
      return fail_errno("fork", "cannot start a compile");
    }
    if (child.pid_ == 0) {
      tie_to_parent();
      run_child(limits, compile, theirs.get());
    }
    return child;
  }

  CompileChild(CompileChild&& other) noexcept
      : limits_(other.limits_),
        pid_(std::exchange(other.pid_, -1)),
        socket_(std::move(other.socket_)),
        left_(other.left_) {}

  CompileChild& operator=(CompileChild&&) = delete;
  CompileChild(const CompileChild&) = delete;
  CompileChild& operator=(const CompileChild&) = delete;

  ~CompileChild() { finish(); }

  /// The outcome; of a child that died, one that says why. Nothing when somebody else killed it.
  std::optional<std::string> run(const std::string& request) {
    const double start = cpu_seconds();
    --left_;
    bool in_time = true;
    if (send_frame(socket_.get(), request)) {
      in_time = wait_for_answer(start);
    }
    if (in_time) {
      Result<Received> answer = receive_frame(socket_.get(), kMaxOutcome, Clock::now() + kSendTime);
      if (answer) {
        return std::move(answer->payload);
      }
    }
    left_ = 0;
    return in_time ? outcome_of_death() : out_of_time();
  }

  [[nodiscard]] bool spent() const { return left_ == 0; }

  [[nodiscard]] bool used() const { return left_ < limits_.compiles; }

 private:
  explicit CompileChild(const CompileLimits& limits)
      : limits_(limits),
        left_(limits.compiles) {}

  /// Processor time that it has used since its start.
  [[nodiscard]] double cpu_seconds() const {
    constexpr double nanoseconds = 1e-9;
    clockid_t clock = 0;
    timespec time{};
    if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
      return 0;
    }
    return static_cast<double>(time.tv_sec) + nanoseconds * static_cast<double>(time.tv_nsec);
  }

  /// False: it has used up its time.
  [[nodiscard]] bool wait_for_answer(double start) const {
    pollfd answer{socket_.get(), POLLIN, 0};
    while (::poll(&answer, 1, kPollMs) == 0) {
      if (cpu_seconds() - start > static_cast<double>(limits_.cpu_seconds)) {
        return false;
      }
    }
    return true;
  }

  /// Ends and reaps it. @return What waitpid() gives.
  int finish() {
    int status = 0;
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
      pid_ = -1;
    }
    return status;
  }

  [[nodiscard]] std::string out_of_time() {
    finish();
    CompileOutcome outcome;
    outcome.verdict = CompileVerdict::kTimeout;
    outcome.message = "the compiler ran past its limit of " + std::to_string(limits_.cpu_seconds) +
                      " s of processor time";
    return encode(outcome);
  }

  /// Whether it ends within a moment, now that its socket is closed.
  bool ends_by_itself() {
    socket_.reset();
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    pollfd end{process.get(), POLLIN, 0};
    return process.get() >= 0 && ::poll(&end, 1, kLastBreathMs) == 1;
  }

  std::optional<std::string> outcome_of_death() {
    const bool by_itself = ends_by_itself();
    const int status = finish();
    const int signal = by_itself && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == SIGKILL) {
      return std::nullopt;
    }
    if (signal == SIGXCPU) {
      return out_of_time();
    }
    CompileOutcome outcome;
    outcome.verdict = CompileVerdict::kResourceLimit;
    outcome.message =
        !by_itself    ? "the compiler gave no answer that can be read"
        : signal != 0 ? "the compiler crashed with signal " + std::to_string(signal)
                      : "the compiler gave up with status " + std::to_string(WEXITSTATUS(status));
    outcome.message += " (memory limit " + std::to_string(limits_.memory_bytes >> 30U) + " GiB)";
    return encode(outcome);
  }

  const CompileLimits limits_;
  pid_t pid_ = -1;
  Fd socket_;
  int left_;
};

}  // namespace

CompileFn decoding(std::function<CompileOutcome(const CompileRequest&)> compile) {
  return [compile = std::move(compile)](const std::string& request) {
    const Result<CompileRequest> decoded = decode_compile_request(request);
    if (decoded) {
      return encode(compile(*decoded));
    }
    CompileOutcome outcome;
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = to_text(decoded.error());
    return encode(outcome);
  };
}

int serve_compiles(const CompileLimits& limits, const CompileFn& compile,
                   const std::function<bool(const std::string& request)>& prepare) {
  std::optional<CompileChild> child;
  const auto renew = [&] {
    child.reset();
    Result<CompileChild> started = CompileChild::start(limits, compile);
    if (started) {
      child.emplace(*std::move(started));
    }
    return started.has_value();
  };
  std::string owner;  // of the compiles that this child has made
  for (;;) {
    if (!child && !renew()) {
      return 1;
    }
    Result<Received> request = receive_frame(kWorkerSocket, kMaxRequest);
    if (!request) {
      return 0;  // The server is done with this worker.
    }
    const std::string whose =
        limits.compiles > 1 ? request->payload.substr(0, kOwnerDigits) : std::string();
    request->payload.erase(0, whose.size());
    const bool other = whose != std::exchange(owner, whose) && child->used();
    if (((prepare && prepare(request->payload)) || other) && !renew()) {
      return 1;
    }
    const std::optional<std::string> outcome = child->run(request->payload);
    if (!outcome) {
      return 1;  // The server asks another worker.
    }
    if (!send_frame(kWorkerSocket, *outcome)) {
      return 1;
    }
    if (child->spent()) {
      child.reset();
    }
  }
}

}  // namespace ws

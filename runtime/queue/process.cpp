#include "runtime/queue/process.h"

#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/queue/spawn_actions.h"
#include "runtime/queue/worker_count.h"
#include "runtime/queue/worker_output.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kPoll{1};
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepsOutput = false;  // A sanitizer has to say all that it found.
#else
constexpr bool kKeepsOutput = true;
#endif

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::string& executable, const std::string& role,
                                           WorkerOutput output) {
  return launch({executable, "warpsmith", "worker", "--role", role}, role, output, -1);
}

Result<WorkerProcess> WorkerProcess::start_under(const WatchingProgram& program,
                                                 const std::string& executable,
                                                 const std::string& role) {
  std::vector<std::string> command = {program.path, program.path};
  command.insert(command.end(), program.arguments.begin(), program.arguments.end());
  command.insert(command.end(), {executable, "worker", "--role", role});
  return launch(command, role, WorkerOutput::kShared, program.report);
}

Result<WorkerProcess> WorkerProcess::launch(const std::vector<std::string>& command,
                                            const std::string& role, WorkerOutput output,
                                            int report) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return fail_errno("socketpair", "cannot start a worker process");
  }
  WorkerProcess process;
  process.socket_ = Fd(pair[0]);
  const Fd theirs(pair[1]);
  process.role_ = role;
  OutputPipe pipe;
  if (output == WorkerOutput::kKept && kKeepsOutput) {
    WS_TRY(pipe, OutputPipe::open());
  }
  SpawnActions actions;
  if (pipe.write.valid()) {
    actions.duplicate(pipe.write.get(), STDERR_FILENO);
  }
  actions.duplicate(STDERR_FILENO, STDOUT_FILENO);
  actions.duplicate(theirs.get(), kWorkerSocket);
  actions.open_nothing(STDIN_FILENO);
  if (report >= 0) {
    actions.duplicate(report, kReportFile);
  }
  actions.close_from(report >= 0 ? kReportFile + 1 : kReportFile);
  const auto started = actions.start(command.front(), {command.begin() + 1, command.end()},
                                     "cannot start a worker process");
  count_start(role, started.has_value());
  WS_TRY(process.pid_, started);
  process.printed_ = std::move(pipe.read);
  return process;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::move(other.socket_)),
      role_(std::move(other.role_)),
      printed_(std::move(other.printed_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(socket_, other.socket_);
  std::swap(role_, other.role_);
  std::swap(printed_, other.printed_);
  return *this;
}

WorkerProcess::~WorkerProcess() {
  // A worker that rests when the server ends may have followed the thread that started it.
  end(std::chrono::milliseconds(0), /*may_be_killed=*/true);
}

void WorkerProcess::signal(int number) const {
  if (pid_ > 0) {
    ::kill(pid_, number);
  }
}

void WorkerProcess::kill_group() const {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // Before the child has made its group.
  }
}

bool WorkerProcess::has_ended() const {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid_;
}

int WorkerProcess::finish(std::chrono::milliseconds grace) {
  return end(grace, /*may_be_killed=*/false);
}

int WorkerProcess::end(std::chrono::milliseconds grace, bool may_be_killed) {
  if (pid_ <= 0) {
    return 0;
  }
  // A worker that ended by itself keeps its own signal; only a living one is killed.
  const auto deadline = std::chrono::steady_clock::now() + grace;
  bool ended = has_ended();
  while (!ended && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPoll);
    ended = has_ended();
  }
  kill_group();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  const int signal = ended && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (printed_.valid()) {
    const bool expected = may_be_killed && signal == SIGKILL;
    log_output(role_, pid_, expected ? 0 : signal, take_output(printed_));
  }
  pid_ = -1;
  count_end(role_);
  socket_.reset();
  printed_.reset();
  return signal;
}

Status check_not_killed(int signal) {
  if (signal == SIGKILL) {
    return fail(ErrorCode::kDeviceLost, "a worker process was killed from outside (signal 9)",
                "ask again; if it happens often, check whether the machine runs out of memory");
  }
  return {};
}

void tie_to_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace ws

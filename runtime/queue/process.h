// A worker process: this executable again, as `warpsmith worker --role ROLE`, with a socket to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

/// The worker's end of the socket pair.
inline constexpr int kWorkerSocket = 3;

/// Where a worker's standard output and error go.
enum class WorkerOutput : std::uint8_t {
  kShared,  ///< To the server's standard error, as they are.
  kKept,    ///< To a pipe that is read at its end, and one line of the log.
};

/// A program that runs another one: a debugger or a sanitizer.
struct WatchingProgram {
  std::string path;
  std::vector<std::string> arguments;  ///< Those before the worker's command line.
  int report = -1;                     ///< A descriptor of ours that it has as kReportFile.
};

/// The descriptor that a WatchingProgram may write to.
inline constexpr int kReportFile = 4;

/// Owns the process: killed with its whole group, and reaped, at the end.
class WorkerProcess {
 public:
  /// Starts `executable worker --role <role>` in a process group of its own, with no other
  /// of our descriptors and an empty environment.
  ///
  /// The worker asks for SIGKILL when the *thread* that started it ends: start it from a thread
  /// that lives as long as the server. @errors kIo.
  static Result<WorkerProcess> start(const std::string& executable, const std::string& role,
                                     WorkerOutput output = WorkerOutput::kShared);

  /// As start(), but `program` starts the worker and watches it: pid() and finish() are about the
  /// program. @errors kIo.
  static Result<WorkerProcess> start_under(const WatchingProgram& program,
                                           const std::string& executable, const std::string& role);

  WorkerProcess() = default;
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  [[nodiscard]] int socket() const { return socket_.get(); }

  /// The worker finds that nobody asks any more, and ends.
  void close_socket() { socket_.reset(); }

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Sends a signal to the process only (SIGUSR1: stop and say where you are). Any thread.
  void signal(int number) const;
  /// Kills the process group. Any thread, while the object lives.
  void kill_group() const;
  /// Whether only reaping is left. Any thread, while the object lives.
  [[nodiscard]] bool has_ended() const;
  /// Kills and reaps. Logs its output from the pipe and the signal that ended it.
  /// @param grace  How long it may take to end by itself: a process closes its socket some time
  ///               before it can be reaped.
  /// @return       The signal that ended it, or 0 when it had left by itself or was killed here.
  int finish(std::chrono::milliseconds grace = std::chrono::milliseconds(0));

 private:
  /// @param command  The program's path, the name that it sees as its own, and its arguments.
  static Result<WorkerProcess> launch(const std::vector<std::string>& command,
                                      const std::string& role, WorkerOutput output, int report);

  /// As finish(). @param may_be_killed  SIGKILL from elsewhere is no news for the log.
  int end(std::chrono::milliseconds grace, bool may_be_killed);

  pid_t pid_ = -1;
  Fd socket_;
  std::string role_;
  Fd printed_;  // The end of its pipe; invalid: it has none.
};

/// A kernel or a program cannot end its process with SIGKILL: such a process was killed by somebody
/// else, which is no verdict on what ran there.
/// @param signal  As WorkerProcess::finish() gives it. @errors kDeviceLost: it is SIGKILL.
Status check_not_killed(int signal);

/// In the worker: asks for SIGKILL when the thread that started it ends.
void tie_to_parent();

}  // namespace ws

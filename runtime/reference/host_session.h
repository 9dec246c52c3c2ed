// Host workers as the server sees them: started, asked, and killed when they take too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/device/arena.h"
#include "runtime/queue/worker_call.h"
#include "runtime/queue/worker_pool.h"
#include "runtime/reference/host_job.h"
#include "runtime/reference/host_process.h"
#include "runtime/reference/python_host.h"

namespace ws {

/// One program loaded into a worker. After a reply whose verdict is not fine, or an error, the
/// session is over.
class HostSession {
 public:
  HostSession(std::unique_ptr<HostProcess> process, std::shared_ptr<Arena> arena,
              HostLanguage language)
      : process_(std::move(process)),
        arena_(std::move(arena)),
        language_(language) {}

  /// The tensors of the job, in its order.
  [[nodiscard]] const Arena& arena() const { return *arena_; }

  /// Runs the program once. The limit is of the time in which the worker has a core
  /// (queue/launch_time.h); in Python, where a program may sleep, by the clock. A program that goes
  /// wrong is a reply with a verdict, also one that takes too long or kills its worker.
  /// @errors kCancelled: `stop` was requested; the worker is killed.
  Result<HostReply> run(std::chrono::milliseconds limit, const std::stop_token& stop);

  /// Sends the job; the first thing to do. @errors as run().
  Result<HostReply> load(const HostJob& job, const std::stop_token& stop);

 private:
  /// @param request  Sends something that the worker answers.
  Result<HostReply> ask(const std::function<void(const WorkerCall&)>& request,
                        std::chrono::milliseconds limit, const std::stop_token& stop);

  /// The worker's answer to a request that was sent at `start`.
  [[nodiscard]] Result<std::string> wait(const WorkerCall& call, std::chrono::milliseconds limit,
                                         Clock::time_point start,
                                         std::chrono::nanoseconds used_before) const;

  std::unique_ptr<HostProcess> process_;
  std::shared_ptr<Arena> arena_;
  HostLanguage language_;
};

struct HostOptions {
  std::string executable;
  bool python = true;  ///< False: programs of that language are refused.
  /// Tried in turn for one that imports NumPy. The system's own first: what is found on a PATH is
  /// somebody's, and may change.
  std::vector<std::string> interpreters = {"/usr/bin/python3", "/usr/local/bin/python3",
                                           "/opt/conda/bin/python3"};
  /// Tried in turn for one that imports PyTorch, for references whose text names it.
  std::vector<std::string> torch_interpreters = {};
};

/// Starts workers. Any thread.
class HostWorkers {
 public:
  explicit HostWorkers(HostOptions options);

  struct Opened {
    std::unique_ptr<HostSession> session;  ///< Null when the program cannot run:
    HostReply refusal;                     ///< why.
  };

  /// Loads a program: it is parsed, and checked against the job's tensors. Offsets and arena_bytes
  /// are filled in here.
  /// @errors kUnsupported: Python is off or no interpreter has NumPy; kCancelled; kInvalidArgument:
  /// the tensors are too large; kIo: no worker.
  Result<Opened> open(HostJob job, const std::stop_token& stop);

  /// Only whether it can be loaded; few at a time, as any request may ask. @errors as open().
  Result<HostReply> check(HostJob job, const std::stop_token& stop);

 private:
  using TakeProcess = std::function<Result<std::unique_ptr<HostProcess>>()>;

  Result<Opened> open_python(HostJob job, const std::stop_token& stop);
  Result<Opened> load_python(const PythonStart& start, HostJob job, const std::stop_token& stop);
  /// The first that has NumPy, and PyTorch where it is named; found out by the first call. Where
  /// none has PyTorch, the one without: the import in the source says so.
  Result<std::string> interpreter(const std::vector<std::string>& libraries,
                                  const std::stop_token& stop);
  /// Empty: none of them runs `probe`.
  Result<std::string> first_that_runs(const std::string& probe,
                                      const std::vector<std::string>& candidates,
                                      const std::stop_token& stop);
  static Result<Opened> load(const TakeProcess& take, HostJob job, const std::stop_token& stop);

  const HostOptions options_;
  WorkerPool cuir_;
  PythonHosts python_;
  std::mutex mutex_;
  std::string interpreter_;        // guarded by mutex_; empty: not known
  std::string torch_interpreter_;  // guarded by mutex_; empty: not known
  std::mutex checks_mutex_;
  std::condition_variable_any check_ended_;
  int checks_ = 0;  // guarded by checks_mutex_
};

}  // namespace ws

// Python interpreters that have imported their libraries, and serve each session in a copy of
// themselves (docs/decisions/0038-python-workers.md).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "runtime/base/result.h"
#include "runtime/queue/worker_pool.h"
#include "runtime/reference/host_job.h"
#include "runtime/reference/host_process.h"

namespace ws {

/// One interpreter. It ends when it has had no session for a while. Any thread.
class PythonHost : public std::enable_shared_from_this<PythonHost> {
 public:
  /// @param process  A worker of that role that has not been asked yet.
  PythonHost(WorkerProcess process, std::string role, const PythonStart& start);

  /// False: it has ended.
  [[nodiscard]] bool is_there();

  /// A copy for one session, which starts when it gets its job. An interpreter that still imports
  /// makes it later. @return Null: this object has ended the interpreter.
  /// @errors kIo: there are no descriptors left.
  Result<std::unique_ptr<HostProcess>> copy();

 private:
  class Copy;

  /// @errors kDeviceLost: the interpreter has ended.
  Status send(const std::string& message, std::span<const int> descriptors);
  void end_copy(std::uint64_t number);
  /// The signal that ended the interpreter, 0: none. @errors as HostProcess::end_lost().
  Result<int> end_lost();
  void end_when_idle(const std::stop_token& stop);

  const pid_t pid_;
  const std::string role_;
  std::mutex mutex_;
  WorkerProcess process_;          // guarded by mutex_
  bool ended_ = false;             // guarded by mutex_
  int signal_ = 0;                 // guarded by mutex_; the one that ended it
  std::uint64_t last_number_ = 0;  // guarded by mutex_
  int copies_ = 0;                 // guarded by mutex_
  std::condition_variable_any changed_;
  std::jthread ender_;  // Last: it uses the others.
};

/// One interpreter for each set of libraries, started when it is first asked for. Any thread.
class PythonHosts {
 public:
  /// @param role  "python": sessions take a HostJob, and "module": they take a ModuleJob.
  PythonHosts(const std::string& executable, const std::string& role);

  /// @errors kIo: no process can be started.
  Result<std::unique_ptr<HostProcess>> copy(const PythonStart& start);

 private:
  const std::string role_;
  WorkerPool pool_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<PythonHost>> hosts_;  // guarded by mutex_; by PythonStart
};

}  // namespace ws

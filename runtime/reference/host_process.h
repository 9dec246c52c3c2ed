// The process that serves a session: a worker of its own, or a copy of an interpreter
// (python_host.h).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "runtime/base/result.h"
#include "runtime/queue/process.h"

namespace ws {

/// Ends the process at its own end. One thread.
class HostProcess {
 public:
  HostProcess() = default;
  virtual ~HostProcess() = default;
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  /// Where it gets its doorbells and sends its replies.
  [[nodiscard]] virtual int socket() const = 0;

  /// Hands the job, as encode() made it, and the arena's descriptor on. What goes wrong shows when
  /// the reply is awaited.
  virtual void start(const std::string& job, int arena) = 0;

  /// Processor time that it has used. @errors kDeviceLost: it has ended.
  [[nodiscard]] virtual Result<std::chrono::nanoseconds> used() const = 0;

  /// Kills it.
  virtual void end() = 0;

  /// For one that sends no more replies.
  /// @param told  The signal that it ended by, where that was said (HostReply::ended).
  /// @return      That signal, or the one that is found out; 0: none.
  /// @errors      kDeviceLost: it was killed from outside.
  virtual Result<int> end_lost(std::optional<int> told) = 0;
};

class OwnProcess final : public HostProcess {
 public:
  explicit OwnProcess(WorkerProcess process)
      : process_(std::move(process)) {}

  [[nodiscard]] int socket() const override { return process_.socket(); }

  void start(const std::string& job, int arena) override;
  [[nodiscard]] Result<std::chrono::nanoseconds> used() const override;
  void end() override;
  Result<int> end_lost(std::optional<int> told) override;

 private:
  WorkerProcess process_;
};

}  // namespace ws

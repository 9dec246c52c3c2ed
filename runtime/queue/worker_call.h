// A question to a worker process, and the wait for its answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "runtime/base/call_context.h"
#include "runtime/base/result.h"
#include "runtime/queue/process.h"

namespace ws {

/// For as long as it lives, a stop request shuts the worker's socket down, which wakes the wait;
/// the worker cannot be used after that. It has to end before the socket is closed or lent to
/// another caller. One thread.
class WorkerCall {
 public:
  /// @param socket  WorkerProcess::socket().
  WorkerCall(int socket, std::stop_token stop);

  /// Blocks until it is all written. A caller may leave an error to wait(): the worker may have
  /// said something before it went.
  /// @param pass_fd  A descriptor that goes along; -1: none.
  /// @errors kCancelled: `stop` was requested; kDeviceLost: the worker is gone.
  [[nodiscard]] Status send(std::string_view payload, int pass_fd = -1) const;

  /// One answer. A call that asked to stop gets none, even if there is one.
  /// @param limit  The longest answer. @errors kCancelled: `stop` was requested; kTimeout:
  /// `deadline` has passed; kDeviceLost: the worker is gone, or its answer is longer.
  [[nodiscard]] Result<std::string> wait(std::size_t limit, Clock::time_point deadline) const;

 private:
  const int socket_;
  const std::stop_token stop_;
  std::stop_callback<std::function<void()>> on_stop_;
};

/// Sends and waits, whether the worker is still there or not. @errors as WorkerCall::wait().
Result<std::string> ask_worker(const WorkerProcess& worker, std::string_view question,
                               std::size_t limit, Clock::time_point deadline,
                               const std::stop_token& stop, int pass_fd = -1);

/// Ends a worker that is gone or has sent an invalid answer.
/// @param grace  From its last byte to its end.
/// @return The signal that ended it, or 0. @errors kDeviceLost: somebody else killed it.
Result<int> end_lost_worker(WorkerProcess& worker, std::chrono::milliseconds grace);

}  // namespace ws

// notifications/progress for one request: throttled, rising, and silent once it is answered.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "runtime/base/call_context.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// Sends one message (a line of JSON) on the stream of the request. Must not call back.
using NotifyFn = std::function<void(std::string)>;

/// Shared by the request and by whatever still holds its CallContext. Any thread.
class ProgressReporter {
 public:
  ProgressReporter(Json token, NotifyFn notify);

  /// Drops reports within 200 ms of the last one that are no results. MCP wants each value above
  /// the one before: a repeated fraction (a heartbeat from the queue) moves by a millionth.
  void report(const Progress& progress);

  /// The same from a tool that counts its own steps: all of them are sent that go up.
  void step(double done, double total);

  /// After this nothing is sent, and `notify` is not called any more.
  void close();

 private:
  void send(double progress, double total, const std::string& message);  // mutex_ is held

  const Json token_;
  std::mutex mutex_;
  NotifyFn notify_;            // guarded by mutex_
  double last_ = -1;           // guarded by mutex_
  Clock::time_point sent_at_;  // guarded by mutex_
};

}  // namespace ws::server

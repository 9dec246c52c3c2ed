// One request that takes its time: the pool's thread fills it, the connection's thread sends it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "server/http_server.h"
#include "server/mcp_server.h"

namespace ws {

/// Shared by the two threads. Any thread.
class HttpCall {
 public:
  /// @param end  Requested when the server stops; stops the call too.
  explicit HttpCall(std::stop_token end);

  /// Adds a message to the stream. Dropped once the reply is there.
  void notify(std::string line);

  /// The reply: the last thing that is sent.
  void finish(Reply reply);

  /// The reply, when it comes within `limit`.
  std::optional<Reply> wait(std::chrono::milliseconds limit);

  /// Sends the messages and the reply as server-sent events.
  void stream_events(HttpSink& sink);

  /// Sends the reply alone, as JSON.
  void stream_json(HttpSink& sink);

  /// Requests the stop when a stream finds its client gone. Legacy clients may come and go.
  void cancel_when_closed() { cancel_when_closed_ = true; }

  [[nodiscard]] std::stop_source stop() const { return stop_; }

 private:
  bool send_next(HttpSink& sink, bool events);

  struct StopTogether {
    std::stop_source stop;

    void operator()() { stop.request_stop(); }
  };

  std::stop_source stop_;
  std::stop_callback<StopTogether> with_server_;
  bool cancel_when_closed_ = false;  // set before the second thread starts
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;  // guarded by mutex_
  std::optional<Reply> reply_;        // guarded by mutex_
  Clock::time_point last_sent_;       // the connection's thread only
};

}  // namespace ws

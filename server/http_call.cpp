#include "server/http_call.h"

#include <utility>

namespace ws {
namespace {

// How soon a client that went away is noticed.
constexpr auto kBeat = std::chrono::milliseconds(200);
// Proxies close a stream that stays silent for longer.
constexpr auto kKeepAlive = std::chrono::seconds(15);

std::string as_event(const std::string& message) {
  return "event: message\ndata: " + message + "\n\n";
}

}  // namespace

HttpCall::HttpCall(std::stop_token end)
    : with_server_(std::move(end), StopTogether{stop_}) {}

void HttpCall::notify(std::string line) {
  const std::lock_guard lock(mutex_);
  if (!reply_) {
    messages_.push_back(std::move(line));
    changed_.notify_all();
  }
}

void HttpCall::finish(Reply reply) {
  const std::lock_guard lock(mutex_);
  reply_ = std::move(reply);
  changed_.notify_all();
}

std::optional<Reply> HttpCall::wait(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return reply_.has_value(); });
  return reply_;
}

void HttpCall::stream_events(HttpSink& sink) {
  last_sent_ = Clock::now();
  while (send_next(sink, true)) {
  }
}

void HttpCall::stream_json(HttpSink& sink) {
  last_sent_ = Clock::now();
  while (send_next(sink, false)) {
  }
}

/// Sends what came within one beat. False: that was the reply, or the client is gone.
bool HttpCall::send_next(HttpSink& sink, bool events) {
  std::deque<std::string> messages;
  std::optional<Reply> reply;
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kBeat, [this] { return reply_ || !messages_.empty(); });
    messages.swap(messages_);
    reply = reply_;
  }
  bool open = sink.alive();
  for (const std::string& message : messages) {
    open = open && (!events || sink.write(as_event(message)));
  }
  if (reply && open) {
    open = sink.write(events ? as_event(reply->body) : reply->body);
  }
  if (!messages.empty()) {
    last_sent_ = Clock::now();
  } else if (events && open && !reply && Clock::now() - last_sent_ > kKeepAlive) {
    open = sink.write(":\n\n");
    last_sent_ = Clock::now();
  }
  if (!open && cancel_when_closed_) {
    stop_.request_stop();
  }
  return open && !reply;
}

}  // namespace ws

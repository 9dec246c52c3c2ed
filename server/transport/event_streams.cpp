#include "server/transport/event_streams.h"

#include <algorithm>
#include <charconv>

#include "runtime/base/hash.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxStreams = 256;
constexpr std::size_t kMaxBytes = std::size_t{256} << 10U;  ///< Kept of one stream.
constexpr std::size_t kNameDigits = 16;
constexpr int kRetryMs = 1000;

}  // namespace

HttpReply event_stream_head() {
  return {.content_type = "text/event-stream",
          .headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}}};
}

std::string as_event(const std::string& message) {
  return message.empty() ? message : "event: message\ndata: " + message + "\n\n";
}

EventStream::EventStream(std::string session, std::string name, std::function<void()> given_up)
    : session_(std::move(session)),
      name_(std::move(name)),
      given_up_(std::move(given_up)) {}

void EventStream::begin(std::shared_ptr<HttpResponder> responder) {
  const std::lock_guard lock(mutex_);
  responder_ = std::move(responder);
  responder_->begin(event_stream_head());
  responder_->send("id: " + name_ + "-0\nretry: " + std::to_string(kRetryMs) + "\ndata: \n\n");
}

std::string EventStream::add(const std::string& message) {
  if (message.empty()) {
    return {};
  }
  const std::uint64_t number = ++last_;
  std::string text = "id: " + name_ + "-" + std::to_string(number) + "\n" + as_event(message);
  bytes_ += text.size();
  events_.push_back({number, text});
  while (bytes_ > kMaxBytes && events_.size() > 1) {
    bytes_ -= events_.front().text.size();
    events_.pop_front();
  }
  return text;
}

void EventStream::send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  responder_->send(add(message));
}

void EventStream::finish(const std::string& message) {
  const std::lock_guard lock(mutex_);
  std::string text = add(message);
  ended_ = true;
  given_up_ = nullptr;
  responder_->finish(std::move(text));
}

void EventStream::resume(std::uint64_t after, std::shared_ptr<HttpResponder> responder) {
  const std::lock_guard lock(mutex_);
  if (!ended_) {
    responder_->finish({});  // Each message goes to one connection.
  }
  responder_ = std::move(responder);
  left_ = false;
  responder_->begin(event_stream_head());
  std::string missed;
  for (const Event& event : events_) {
    missed += event.number > after ? event.text : std::string();
  }
  if (ended_) {
    responder_->finish(std::move(missed));
  } else if (!missed.empty()) {
    responder_->send(std::move(missed));
  }
}

void EventStream::leave(const HttpResponder* responder) {
  const std::lock_guard lock(mutex_);
  left_ = left_ || responder_.get() == responder;
}

void EventStream::give_up() {
  std::function<void()> given_up;
  {
    const std::lock_guard lock(mutex_);
    given_up = std::exchange(given_up_, nullptr);
  }
  if (given_up) {
    given_up();
  }
}

bool EventStream::is_spare() const {
  const std::lock_guard lock(mutex_);
  return ended_ || left_;
}

std::shared_ptr<EventStream> EventStreams::open(const std::string& session,
                                                std::function<void()> given_up) {
  auto stream =
      std::make_shared<EventStream>(session, random_hex(kNameDigits), std::move(given_up));
  std::shared_ptr<EventStream> oldest;
  {
    const std::lock_guard lock(mutex_);
    if (streams_.size() >= kMaxStreams) {
      const auto spare = std::find_if(streams_.begin(), streams_.end(),
                                      [](const auto& other) { return other->is_spare(); });
      if (spare != streams_.end()) {
        oldest = std::move(*spare);
        streams_.erase(spare);
      }
    }
    streams_.push_back(stream);
  }
  if (oldest) {
    oldest->give_up();
  }
  return stream;
}

std::pair<std::shared_ptr<EventStream>, std::uint64_t> EventStreams::find(
    const std::string& session, const std::string& event_id) {
  const std::size_t dash = event_id.find('-');
  if (dash == std::string::npos) {
    return {};
  }
  std::uint64_t number = 0;
  const char* const end = event_id.data() + event_id.size();
  const auto [stop, error] = std::from_chars(event_id.data() + dash + 1, end, number);
  if (error != std::errc{} || stop != end) {
    return {};
  }
  const std::string name = event_id.substr(0, dash);
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams_) {
    if (stream->belongs_to(session, name)) {
      return {stream, number};
    }
  }
  return {};
}

}  // namespace ws::server

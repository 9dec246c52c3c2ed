#include "server/transport/http_link.h"

#include <utility>

#include <sys/epoll.h>

#include "runtime/base/metrics.h"

namespace ws::server {
namespace {

/// A client that is sending a body is heard out for a while, so that it reads why it was refused.
constexpr std::size_t kMaxDrained = std::size_t{64} << 20U;

}  // namespace

void HttpLink::count_handshake(std::string_view outcome) {
  metric_cell(Metric::kHandshakes, {outcome}).add();
}

HttpLink::HttpLink(Visitor visitor, std::uint64_t id, const Server& server)
    : socket_(std::move(visitor.socket)),
      address_(std::move(visitor.address)),
      user_(visitor.user),
      id_(id),
      server_(server),
      tls_context_(visitor.tls) {
  if (tls_context_ == nullptr) {
    wait_for_head();
  } else {
    enter(Phase::kHandshake, server_.limits.idle_seconds);
  }
}

void HttpLink::count_waiting(Phase phase, int change) {
  static MetricCell& half_open = metric_cell(Metric::kHalfOpen);
  static MetricCell& handshakes = metric_cell(Metric::kHandshakesOpen);
  if (phase == Phase::kHandshake || phase == Phase::kHead) {
    half_open.add(change);
    handshakes.add(phase == Phase::kHandshake ? change : 0);
  }
}

void HttpLink::enter(Phase phase, std::optional<int> seconds) {
  count_waiting(phase_, -1);
  count_waiting(phase, 1);
  phase_ = phase;
  since_ = Clock::now();
  deadline_ = seconds ? since_ + std::chrono::seconds(*seconds) : Clock::time_point::max();
}

void HttpLink::wait_for_head() {
  head_ = {};
  enter(Phase::kHead, in_.empty() ? server_.limits.idle_seconds : server_.limits.head_seconds);
}

std::uint32_t HttpLink::interest() const {
  const std::uint32_t out = out_.empty() ? 0U : EPOLLOUT;
  if (reads_after_write()) {
    return EPOLLOUT;  // Before it reads on.
  }
  switch (phase_) {
    case Phase::kHandshake:
    case Phase::kHead:
    case Phase::kBody:
    case Phase::kDraining:
      return EPOLLIN | out;
    case Phase::kAnswering:
    case Phase::kStreaming:
      return (half_closed_ ? 0U : EPOLLRDHUP) | out;
    case Phase::kSending:
    case Phase::kClosed:
      break;
  }
  return out;
}

void HttpLink::on_events(std::uint32_t events) {
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
    lose();
    return;
  }
  if (phase_ == Phase::kHandshake) {
    shake_hands();
  } else if ((events & EPOLLIN) != 0 || reads_after_write()) {
    read();
  } else if ((events & EPOLLRDHUP) != 0) {
    half_closed_ = true;  // It may still read its answer, unless closing is how it cancels.
    leave_call();
  }
  advance();
}

void HttpLink::on_deadline() {
  switch (phase_) {
    case Phase::kHandshake:
      if (tls_) {
        count_handshake("late");
        server_.handlers.refuse(address_, 408,
                                "the TLS handshake took longer than " +
                                    std::to_string(server_.limits.head_seconds) + " s");
      }
      break;
    case Phase::kHead:
      if (in_.empty()) {
        lose();
      } else {
        refuse(408, "the head of the request took longer than " +
                        std::to_string(server_.limits.head_seconds) + " s");
      }
      return;
    case Phase::kBody:
      refuse(408, "the body of the request took longer than " +
                      std::to_string(server_.limits.body_seconds) + " s");
      return;
    case Phase::kStreaming:
      if (out_.empty()) {
        add_part(server_.handlers.keep_alive_part);
        return;
      }
      break;
    case Phase::kAnswering:
    case Phase::kSending:
    case Phase::kDraining:
    case Phase::kClosed:
      break;
  }
  lose();
}

void HttpLink::lose() {
  if (tls_ && phase_ != Phase::kHandshake) {
    tls_->end();
  }
  tls_.reset();
  socket_.reset();
  in_.clear();
  out_.clear();
  enter(Phase::kClosed, {});
  leave_call();
}

void HttpLink::leave_call() {
  if (const auto gone = std::exchange(gone_, nullptr)) {
    gone();
  }
}

void HttpLink::take_bytes(std::string_view bytes) {
  if (phase_ == Phase::kDraining) {
    drained_ += bytes.size();
    if (drained_ > kMaxDrained) {
      lose();
    }
    return;
  }
  const bool begins = phase_ == Phase::kHead && in_.empty();
  in_.append(bytes);
  if (begins) {
    wait_for_head();
  }
}

void HttpLink::on_end_of_input() {
  half_closed_ = true;
  if (phase_ == Phase::kBody) {
    refuse(400, "the body ended early");
  } else {
    lose();
  }
}

void HttpLink::advance() {
  if (std::exchange(advancing_, true)) {
    return;
  }
  while ((phase_ == Phase::kHead && take_head()) || (phase_ == Phase::kBody && take_body())) {
  }
  advancing_ = false;
}

/// False: more must come, or it was the last.
bool HttpLink::take_head() {
  const auto size = head_size(in_);
  if (!size) {
    refuse(size.error().status, size.error().message);
    return false;
  }
  if (*size == 0) {
    return false;
  }
  auto head = parse_head(std::string_view(in_).substr(0, *size));
  if (!head) {
    refuse(head.error().status, head.error().message);
    return false;
  }
  in_.erase(0, *size);
  head_ = *std::move(head);
  head_.address = address_;
  head_.user = user_;
  if (const std::optional<HttpReply> answer = server_.handlers.screen(head_)) {
    constexpr int kFirstError = 400;
    const bool has_body = head_.chunked || head_.length.value_or(0) > 0;
    respond(*answer, head_.keep_alive && answer->status < kFirstError && !has_body);
    return true;
  }
  return begin_body();
}

bool HttpLink::begin_body() {
  body_.emplace(head_.chunked ? std::nullopt : std::optional(head_.length.value_or(0)),
                server_.limits.max_body_bytes);
  enter(Phase::kBody, server_.limits.body_seconds);
  if (head_.expects_continue && body_->state() == HttpBody::State::kMore && in_.empty()) {
    out_.append("HTTP/1.1 100 Continue\r\n\r\n");
  }
  return true;
}

/// As take_head().
bool HttpLink::take_body() {
  in_.erase(0, body_->take(in_));
  switch (body_->state()) {
    case HttpBody::State::kMore:
      return false;
    case HttpBody::State::kTooLarge:
      refuse(413, "the body is larger than " +
                      std::to_string(server_.limits.max_body_bytes >> 20U) + " MiB");
      return false;
    case HttpBody::State::kBroken:
      refuse(400, "the chunks of the body are malformed");
      return false;
    case HttpBody::State::kWhole:
      break;
  }
  serve();
  return true;
}

void HttpLink::serve() {
  const std::uint64_t request = ++request_;
  keep_alive_ = head_.keep_alive;
  const bool in_chunks = !head_.first_version;
  std::string method = head_.method;
  std::string text = std::move(body_->text());
  body_.reset();
  enter(Phase::kAnswering, {});
  const auto responder =
      server_.responder(id_, request, head_.header("accept-encoding").value_or(""));
  HttpRequest whole{std::move(head_), std::move(text)};
  head_ = {};
  head_.first_version = !in_chunks;
  head_.method = std::move(method);  // The answer to a HEAD has no body.
  auto gone = server_.handlers.serve(std::move(whole), responder);
  if (request == request_ && (phase_ == Phase::kAnswering || phase_ == Phase::kStreaming)) {
    gone_ = std::move(gone);
  }
}

}  // namespace ws::server

// All that a connection sends: refusals, answers and their parts.
#include <cerrno>
#include <utility>

#include <sys/socket.h>

#include "server/transport/http_link.h"

namespace ws::server {
namespace {

/// Parts that may be lost wait only up to here.
constexpr std::size_t kMaxBacklog = std::size_t{1} << 20U;
constexpr int kDrainSeconds = 5;
/// Proxies close a stream that stays silent for longer.
constexpr int kKeepAliveSeconds = 15;

}  // namespace

void HttpLink::refuse(int status, const std::string& message) {
  in_.clear();
  body_.reset();
  respond(server_.handlers.refuse(address_, status, message), false);
}

void HttpLink::respond(const HttpReply& reply, bool keep_alive) {
  keep_alive_ = keep_alive;
  out_.append(response_bytes(reply, {.end = HttpEnd::kLength,
                                     .keep_alive = keep_alive,
                                     .without_body = head_.method == "HEAD",
                                     .idle_seconds = server_.limits.idle_seconds}));
  enter(Phase::kSending, server_.limits.io_seconds);
}

void HttpLink::begin_stream(const HttpReply& head) {
  keep_alive_ = keep_alive_ && !head_.first_version;
  out_.append(response_bytes(head, {.end = head_.first_version ? HttpEnd::kClose : HttpEnd::kChunks,
                                    .keep_alive = keep_alive_,
                                    .idle_seconds = server_.limits.idle_seconds}));
  enter(Phase::kStreaming, kKeepAliveSeconds);
}

void HttpLink::add_part(std::string_view part) {
  if (!part.empty()) {
    out_.append(head_.first_version ? std::string(part) : chunk_bytes(part));
  }
  deadline_ = Clock::now() + std::chrono::seconds(kKeepAliveSeconds);
}

void HttpLink::deliver(const HttpMail& mail) {
  const bool wanted = phase_ == Phase::kAnswering || phase_ == Phase::kStreaming;
  if (mail.request != request_ || !wanted) {
    return;
  }
  if (mail.kind == HttpMail::Kind::kBegin) {
    begin_stream(mail.reply);
    return;
  }
  if (mail.kind == HttpMail::Kind::kPart) {
    if (out_.size() < kMaxBacklog) {
      add_part(mail.part);
    }
    return;
  }
  gone_ = nullptr;
  if (mail.kind == HttpMail::Kind::kDropped) {
    const HttpReply refusal =
        server_.handlers.refuse(address_, 500, "the request ended without an answer");
    if (phase_ == Phase::kStreaming) {
      lose();  // Its head is out, and says that all is well.
    } else {
      respond(refusal, keep_alive_);
    }
  } else if (mail.kind == HttpMail::Kind::kReply) {
    respond(mail.reply, keep_alive_);
  } else {
    add_part(mail.part);
    if (phase_ == Phase::kStreaming) {
      out_.append(head_.first_version ? "" : kLastChunk);
      enter(Phase::kSending, server_.limits.io_seconds);
    }
  }
}

void HttpLink::send() {
  while (!out_.empty() && send_out()) {
    advance();  // The next request may have come with the last one.
  }
}

/// False: the client must read first, or is gone.
bool HttpLink::send_out() {
  std::size_t sent = 0;
  while (sent < out_.size()) {
    const ssize_t count = transmit(std::string_view(out_).substr(sent));
    if (count < 0 && errno != EINTR) {
      if (errno != EAGAIN) {
        lose();
        return false;
      }
      break;
    }
    sent += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  out_.erase(0, sent);
  if (phase_ == Phase::kSending && out_.empty()) {
    on_sent();
  } else if (phase_ == Phase::kSending && sent > 0) {
    deadline_ = Clock::now() + std::chrono::seconds(server_.limits.io_seconds);
  }
  return out_.empty();
}

void HttpLink::on_sent() {
  if (keep_alive_) {
    wait_for_head();
    return;
  }
  end_output();
}

/// The client is heard out for a while: to close with bytes unread could cost it the last answer.
void HttpLink::end_output() {
  if (tls_) {
    tls_->end();
    tls_.reset();
  }
  ::shutdown(socket_.get(), SHUT_WR);
  in_.clear();
  in_.shrink_to_fit();
  drained_ = 0;
  enter(Phase::kDraining, kDrainSeconds);
}

}  // namespace ws::server

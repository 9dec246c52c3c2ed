#include "server/transport/open_call.h"

#include <utility>

#include "server/protocol/message.h"
#include "server/transport/request_ids.h"

namespace ws::server {
namespace {

constexpr const char* kSessionHeader = "Mcp-Session-Id";

class NamedResponder : public HttpResponder {
 public:
  NamedResponder(std::string id, std::string challenge, std::shared_ptr<HttpResponder> own)
      : id_(std::move(id)),
        challenge_(std::move(challenge)),
        own_(std::move(own)) {}

  void reply(HttpReply reply) override { own_->reply(named(std::move(reply))); }

  void begin(HttpReply head) override { own_->begin(named(std::move(head))); }

  void send(std::string part) override { own_->send(std::move(part)); }

  void finish(std::string part) override { own_->finish(std::move(part)); }

 private:
  HttpReply named(HttpReply reply) const {
    constexpr int kForbidden = 403;
    reply.headers.emplace_back(kRequestIdHeader, id_);
    if (reply.status == kForbidden && !challenge_.empty()) {
      reply.headers.emplace_back("WWW-Authenticate", challenge_);
    }
    return reply;
  }

  const std::string id_;
  const std::string challenge_;  // empty: there is none
  const std::shared_ptr<HttpResponder> own_;
};

}  // namespace

HttpReply json_reply(int status, std::string body) {
  return {.status = status, .body = std::move(body)};
}

std::shared_ptr<HttpResponder> named_responder(std::string id, std::string challenge,
                                               std::shared_ptr<HttpResponder> own) {
  return std::make_shared<NamedResponder>(std::move(id), std::move(challenge), std::move(own));
}

OpenCall::OpenCall(const std::stop_token& end, std::shared_ptr<HttpResponder> responder)
    : with_server_(end, StopTogether{stop_}),
      responder_(std::move(responder)) {}

void OpenCall::stream() {
  streams_ = true;
  responder_->begin(event_stream_head());
}

void OpenCall::stream(std::shared_ptr<EventStream> events) {
  streams_ = true;
  events_ = std::move(events);
  events_->begin(responder_);
}

void OpenCall::resume(std::shared_ptr<EventStream> events, std::uint64_t after) {
  events_ = std::move(events);
  events_->resume(after, responder_);
}

void OpenCall::notify(const std::string& line) {
  if (events_) {
    events_->send(line);
  } else if (streams_) {
    responder_->send(as_event(line));
  }
}

void OpenCall::fail(int status, const char* message) {
  finish(Reply{.body = error_line(nullptr, {rpc::kInternal, message, nullptr}),
               .http_status = status});
}

void OpenCall::cancel_when_left() {
  left_cancels_ = true;
  if (left_) {
    stop_.request_stop();
  }
}

void OpenCall::leave() {
  left_ = true;
  if (events_) {
    events_->leave(responder_.get());
  }
  if (left_cancels_) {
    stop_.request_stop();
  }
}

void OpenCall::finish(Reply reply) {
  if (events_) {
    events_->finish(reply.body);
    return;
  }
  if (streams_) {
    responder_->finish(as_event(reply.body));
    return;
  }
  HttpReply whole = json_reply(reply.http_status, std::move(reply.body));
  if (reply.http_status == kUnavailable) {
    whole.headers.emplace_back("Retry-After", kRetryAfter);
  }
  if (!reply.session.empty()) {
    whole.headers.emplace_back(kSessionHeader, reply.session);
  }
  responder_->reply(std::move(whole));
}

}  // namespace ws::server

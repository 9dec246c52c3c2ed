// One request over HTTP from its arrival to its answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "server/protocol/mcp_server.h"
#include "server/transport/event_streams.h"
#include "server/transport/http_server.h"

namespace ws::server {

inline constexpr int kUnavailable = 503;

HttpReply json_reply(int status, std::string body);

/// Puts the request's id into the head of each answer that `own` gets.
/// @param challenge  As scope_challenge() makes it: into the head of those with status 403.
std::shared_ptr<HttpResponder> named_responder(std::string id, std::string challenge,
                                               std::shared_ptr<HttpResponder> own);

/// One request that takes its time. Any thread.
class OpenCall {
 public:
  OpenCall(const std::stop_token& end, std::shared_ptr<HttpResponder> responder);

  [[nodiscard]] std::stop_source stop() const { return stop_; }

  /// Where somebody else answers.
  [[nodiscard]] const std::shared_ptr<HttpResponder>& responder() const { return responder_; }

  /// Before anything is sent.
  void stream();

  /// The same with a stream that the client may take up again.
  void stream(std::shared_ptr<EventStream> events);

  /// In place of an answer of its own.
  void resume(std::shared_ptr<EventStream> events, std::uint64_t after);

  void notify(const std::string& line);

  void fail(int status, const char* message);

  /// A client that closes its connection cancels the call. Legacy clients may come and go.
  void cancel_when_left();

  void leave();

  /// A whole answer that is no message of MCP.
  void answer(HttpReply reply) { responder_->reply(std::move(reply)); }

  void finish(Reply reply);

 private:
  struct StopTogether {
    std::stop_source stop;

    void operator()() { stop.request_stop(); }
  };

  std::stop_source stop_;
  std::stop_callback<StopTogether> with_server_;
  std::shared_ptr<HttpResponder> responder_;
  std::shared_ptr<EventStream> events_;  // null: one that cannot be taken up again, or none
  std::atomic<bool> streams_ = false;
  std::atomic<bool> left_ = false;
  std::atomic<bool> left_cancels_ = false;
};

}  // namespace ws::server

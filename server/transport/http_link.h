// One client's connection: its bytes in, requests and answers in order, its bytes out. Knows when
// it has waited long enough. For the HTTP server's thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/call_context.h"
#include "runtime/base/files.h"
#include "server/transport/http_body.h"
#include "server/transport/http_listener.h"
#include "server/transport/http_server.h"
#include "server/transport/tls_channel.h"

namespace ws::server {

/// A part of an answer on its way to its connection.
struct HttpMail {
  /// kDropped: nobody will answer.
  enum class Kind : std::uint8_t { kReply, kBegin, kPart, kLast, kDropped };

  std::uint64_t link = 0;
  std::uint64_t request = 0;  ///< The number of the request on that connection.
  Kind kind = Kind::kReply;
  HttpReply reply{};   ///< kReply, kBegin
  std::string part{};  ///< kPart, kLast
};

class HttpLink {
 public:
  struct Server {
    const HttpHandlers& handlers;
    const HttpLimits& limits;
    /// @param accepted  The request's Accept-Encoding.
    std::function<std::shared_ptr<HttpResponder>(std::uint64_t link, std::uint64_t request,
                                                 std::string accepted)>
        responder;
  };

  HttpLink(Visitor visitor, std::uint64_t id, const Server& server);
  ~HttpLink() = default;
  HttpLink(const HttpLink&) = delete;
  HttpLink& operator=(const HttpLink&) = delete;

  // Each of these may leave something to send(): the first that is sent wakes a client's thread,
  // and the answers to others that wait with it find it awake.

  /// @param events  Of epoll.
  void on_events(std::uint32_t events);
  void on_deadline();
  void deliver(const HttpMail& mail);
  /// Sends what there is, as far as the client takes it.
  void send();
  /// Ends it as it is.
  void lose();

  [[nodiscard]] int socket() const { return socket_.get(); }

  [[nodiscard]] const std::string& address() const { return address_; }

  [[nodiscard]] bool closed() const { return phase_ == Phase::kClosed; }

  /// It has sent no whole head yet: what is cut off costs nobody an answer.
  [[nodiscard]] bool is_spare() const {
    return phase_ == Phase::kHandshake || phase_ == Phase::kHead || phase_ == Phase::kDraining;
  }

  /// Since when it is so.
  [[nodiscard]] Clock::time_point since() const { return since_; }

  /// The events that epoll shall report.
  [[nodiscard]] std::uint32_t interest() const;

  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }

 private:
  enum class Phase : std::uint8_t {
    kHandshake,  ///< Begins TLS. Here tls_ is null until the client's first byte has come.
    kHead,       ///< Waits for a request.
    kBody,       ///< Reads one.
    kAnswering,  ///< Waits for its answer.
    kStreaming,  ///< The answer comes in parts.
    kSending,    ///< It is there.
    kDraining,   ///< Nothing more comes from here; what the client still sends is dropped.
    kClosed,
  };

  void enter(Phase phase, std::optional<int> seconds);
  /// For the metrics. @param change  1 or -1.
  static void count_waiting(Phase phase, int change);
  void wait_for_head();

  /// Before it can read on, TLS has to write.
  [[nodiscard]] bool reads_after_write() const {
    return tls_ && tls_->wants_write() && phase_ <= Phase::kBody;
  }

  static void count_handshake(std::string_view outcome);
  bool begin_tls();
  void shake_hands();
  ssize_t receive(char* bytes, std::size_t size);
  ssize_t transmit(std::string_view bytes);
  void end_output();
  void read();
  void on_end_of_input();
  void take_bytes(std::string_view bytes);
  void advance();
  bool take_head();
  bool begin_body();
  bool take_body();
  void serve();
  void refuse(int status, const std::string& message);
  void respond(const HttpReply& reply, bool keep_alive);
  void begin_stream(const HttpReply& head);
  void add_part(std::string_view part);
  bool send_out();
  void on_sent();
  void leave_call();

  Fd socket_;
  const std::string address_;
  const std::optional<uid_t> user_;  ///< As Visitor has it.
  const std::uint64_t id_;
  const Server& server_;
  const TlsContext* const tls_context_;  ///< As Visitor has it.
  std::unique_ptr<TlsChannel> tls_;      ///< Null: bytes come and go as they are.
  Phase phase_ = Phase::kClosed;
  Clock::time_point since_;
  Clock::time_point deadline_;
  std::string in_;   // read, not yet taken
  std::string out_;  // not yet sent
  HttpHead head_;
  std::optional<HttpBody> body_;
  std::uint64_t request_ = 0;
  std::function<void()> gone_;  // of the request that is being answered
  bool keep_alive_ = true;      // after what is being sent
  bool half_closed_ = false;    // the client will send nothing more
  bool advancing_ = false;
  std::size_t drained_ = 0;
};

}  // namespace ws::server

// One connection's TLS over a socket that does not block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/types.h>

#include "server/transport/tls_context.h"

namespace ws::server {

/// One thread. A call does a bounded amount of work, whatever the client sends.
class TlsChannel {
 public:
  /// read() needs room for so many bytes: less would leave some where epoll does not see them.
  static constexpr std::size_t kRecordBytes = std::size_t{16} << 10U;

  enum class Handshake : std::uint8_t {
    kDone,
    kGoesOn,  ///< Until the socket is readable, or writable where wants_write() says so.
    kFailed,  ///< reason() says why. The client was told, if it can be.
    kLeft,    ///< The client has.
  };

  /// @param socket  Outlives the channel, and is closed by its owner. @throws std::bad_alloc.
  TlsChannel(TlsSession session, int socket);
  ~TlsChannel() = default;
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  /// Goes on with the handshake. Neither read() nor write() before it is done.
  Handshake shake_hands();

  /// Why the handshake failed.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// As ::recv(): the number of bytes, 0 at the end, or -1 with EAGAIN or another errno. At most
  /// one record: where epoll reports nothing, nothing is left in the channel either.
  ssize_t read(char* bytes, std::size_t size);

  /// As ::send(). After EAGAIN the same bytes must come again, and more may follow them.
  ssize_t write(const char* bytes, std::size_t size);

  /// The last read() or shake_hands() waits until the socket is writable.
  [[nodiscard]] bool wants_write() const { return wants_write_; }

  /// Tells the client that nothing more comes.
  void end();

 private:
  /// The socket as OpenSSL uses it.
  struct Wire {
    int socket = -1;
    int reads_left = 0;  ///< In this call.
    bool ended = false;  ///< The client sends nothing more.
  };

  struct WireCalls;  ///< OpenSSL calls them.

  Wire wire_;
  TlsSession session_;
  std::string reason_;
  bool wants_write_ = false;
};

}  // namespace ws::server

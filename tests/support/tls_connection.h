// A client's side of TLS on a loopback socket, so that tests can do what no client would.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/files.h"
#include "server/transport/tls_context.h"

namespace ws::test {

struct TlsClientOptions {
  std::string ca{};           ///< A file: the server's certificate must be of this issuer.
  std::string certificate{};  ///< A file with what the client shows; empty: nothing.
  std::string key{};
  bool old = false;  ///< It speaks TLS 1.2 at most.
};

/// The context of such a client. REQUIREs that its files can be used.
std::unique_ptr<SSL_CTX, server::TlsFree> tls_client(const TlsClientOptions& options);

class TlsConnection {
 public:
  /// REQUIREs that the port takes connections, and shakes hands where it can.
  TlsConnection(int port, const TlsClientOptions& options);

  /// The client's side of the handshake ended well. Whether the server takes the client's
  /// certificate is known with the first answer.
  [[nodiscard]] bool connected() const { return connected_; }

  /// False when the connection has ended.
  bool send(std::string_view bytes);
  /// Bytes up to and including `mark`; shorter at the end, and after ten seconds without any.
  std::string until(std::string_view mark);

  /// All that still comes.
  std::string rest() { return until({}); }

  /// The server has said that nothing more comes: the end is not a broken connection.
  [[nodiscard]] bool ended_well() const;

 private:
  Fd socket_;
  server::TlsSession session_;
  std::string buffer_;
  bool connected_ = false;
};

}  // namespace ws::test

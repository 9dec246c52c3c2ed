// The HTTP transport in the test's own process, on a free port of loopback.
#pragma once

#include <memory>
#include <thread>

#include "runtime/base/files.h"
#include "server/transport/http_transport.h"

namespace ws {

class LocalHttp {
 public:
  /// `server` must outlive it. REQUIREs that it can listen.
  explicit LocalHttp(const server::McpServer& server, server::HttpLimits limits = {},
                     server::OperatorPages pages = {}, std::shared_ptr<server::Gate> gate = nullptr,
                     std::shared_ptr<const server::TlsContext> tls = nullptr,
                     std::shared_ptr<const server::ProtectedResource> resource = nullptr);
  LocalHttp(const LocalHttp&) = delete;
  LocalHttp& operator=(const LocalHttp&) = delete;
  /// Stops it. REQUIREs that all requests did.
  ~LocalHttp();

  [[nodiscard]] int port() const { return transport_->port(); }

 private:
  std::unique_ptr<server::HttpTransport> transport_;
  Fd stop_;  // The server ends when it is closed.
  Fd stopped_;
  bool idle_ = false;
  std::thread serving_;
};

}  // namespace ws

// The listening socket, and what is known of who connects to it.
#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

#include "runtime/base/files.h"
#include "runtime/base/result.h"
#include "server/transport/http_checks.h"
#include "server/transport/tls_context.h"

namespace ws::server {

struct Listener {
  Fd socket;  ///< Does not block.
  int port = 0;
};

/// @errors kIo: the port is in use, or cannot be bound.
Result<Listener> listen_on(const ListenAddress& address);

struct Visitor {
  Fd socket;  ///< Does not block. Invalid: nobody waits, or errno says why not.
  std::string address;
  std::optional<uid_t> user{};      ///< The user at the other end of a Unix socket.
  const TlsContext* tls = nullptr;  ///< It must speak TLS. Null: it must not.
};

/// The next one that waits to be connected.
Visitor accept_next(const Fd& listener);

}  // namespace ws::server

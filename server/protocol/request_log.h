// One line of the log for each request, and for each that was refused before it was one.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/client_key.h"

namespace ws::server {

/// A request's sender in a line of the log: "client=10.0.0.1 principal=ci", where kLocalPrincipal
/// is left out.
struct LogSender {
  std::string_view client;  ///< An address, or "stdio", and the client's own name.
  std::string_view principal = kLocalPrincipal;
};

/// Counts it too: "client=10.0.0.1 http=GET path=/x status=403 reason=..."
void log_refusal(const LogSender& sender, std::string_view method, std::string_view path,
                 int status, std::string_view reason);

/// A page for operators, at level debug: "client=10.0.0.1 http=GET path=/health status=200".
void log_page(const LogSender& sender, std::string_view method, std::string_view path, int status);

/// Logs a message that is no request, or one that the server has no room for.
/// @param code  Of the JSON-RPC error.
void log_malformed(const LogSender& sender, int code, std::string_view reason);

}  // namespace ws::server

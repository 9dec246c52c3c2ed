// One line of the log for each request, and for each that was refused before it was one.
#pragma once

#include <string>
#include <string_view>

namespace ws::server {

/// A value for the log: as it is where it is a plain word, else quoted and escaped, and cut where
/// it is long. What clients send cannot make it look like another line or field.
std::string log_value(std::string_view text);

/// "client=10.0.0.1 http=GET path=/x status=403 reason=..."
void log_refusal(std::string_view address, std::string_view method, std::string_view path,
                 int status, std::string_view reason);

/// At level debug: "client=10.0.0.1 http=GET path=/health status=200".
void log_health(std::string_view address, std::string_view method, std::string_view path);

/// Logs a message that is no request, or one that the server has no room for.
/// @param code  Of the JSON-RPC error.
void log_malformed(std::string_view client, int code, std::string_view reason);

}  // namespace ws::server

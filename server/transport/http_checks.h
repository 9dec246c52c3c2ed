// The rules for an HTTP request's head, checked before its body is read. No sockets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "server/access/gate.h"
#include "server/access/protected_resource.h"
#include "server/transport/http_head.h"

namespace ws::server {

/// A refusal: HTTP status, an error text for the JSON body, and headers when not empty.
struct HttpRefusal {
  int status = 400;
  std::string message;
  std::string allow{};
  std::string authenticate{};  ///< WWW-Authenticate.
  std::chrono::seconds retry_after{0};
};

/// The origins, hosts and principals that requests are admitted by.
struct HttpAccess {
  std::shared_ptr<Gate> gate;  ///< Never null.
  /// False: beyond loopback, by any name. Then there is a token, which no page that was led here by
  /// a rebound name knows.
  bool local_only = true;
  bool sessions = false;  ///< A request that names one may be a GET or a DELETE.
  /// The pages for operators that there are; see operator_pages.h.
  std::function<bool(std::string_view path)> has_page{};
  bool metrics_open = false;  ///< /metrics needs no token.
  /// Where access tokens come from. Null: none are taken.
  std::shared_ptr<const ProtectedResource> resource{};
};

inline constexpr const char* kMcpPath = "/mcp";

/// In order: Host and Origin (403), a sign-in's path (404), the token (401), too many requests
/// (429), path (404), method (405), Content-Type and Content-Encoding (415), Content-Length or
/// chunks (411). /health, /ready, the metadata of `resource` and the parts of the page without data
/// need no token; /admin needs Role::kAdmin (403). Notes in the head who sends it.
std::optional<HttpRefusal> screen_request(HttpHead& head, const HttpAccess& access);

/// True for localhost, 127.0.0.1 and [::1], with any port.
bool is_local_host(std::string_view host);

/// True for http and https origins of a local host. "null" is no such origin.
bool is_local_origin(std::string_view origin);

/// True when an Accept header allows text/event-stream by name.
bool accepts_event_stream(std::string_view accept);

struct ListenAddress {
  std::string host;
  int port = 0;          ///< 0: any free one.
  bool loopback = true;  ///< False: others than this machine can reach it.
};

/// "HOST:PORT", "[::1]:PORT" or "HOST" (then port 7411).
///
/// @param has_token  Every request will have to show one.
/// @errors kInvalidArgument: malformed, or not a loopback address and no token.
Result<ListenAddress> parse_listen_address(const std::string& text, bool has_token);

}  // namespace ws::server

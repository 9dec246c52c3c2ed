// The answers of the HTTP server to those who operate it, beside MCP.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "server/protocol/protocol.h"
#include "server/transport/http_reply.h"
#include "server/transport/http_server.h"

namespace ws::server {

inline constexpr const char* kHealthPath = "/health";
inline constexpr const char* kReadyPath = "/ready";
inline constexpr const char* kMetricsPath = "/metrics";
inline constexpr const char* kAdminPath = "/admin";
inline constexpr const char* kPagePath = "/";                ///< The page to look at.
inline constexpr const char* kPageParts = "/page/";          ///< All else that it is made of.
inline constexpr const char* kPageEvents = "/page/events";   ///< The server's work, as it changes.
inline constexpr const char* kPageAssets = "/page/assets/";  ///< Its parts without data.

/// All are called by threads that may block. An empty one: there is no such page.
struct OperatorPages {
  std::function<std::string()> metrics;  ///< In the text format of Prometheus.
  /// Why no work can be taken; nothing: it can.
  std::function<std::optional<std::string>()> unready;
  /// An order of an operator: {"action": "status"} or {"action": "cancel", "job_id"}.
  std::function<Result<Json>(const Json& order)> admin;
  /// The page to look at, and its parts: a GET or a HEAD.
  std::function<HttpReply(const HttpHead& head)> page;
  /// A GET of kPageEvents: answers through the responder, in parts, until `gone` is requested.
  /// @return  The answer's status.
  std::function<int(const HttpHead& head, std::shared_ptr<HttpResponder> responder,
                    const std::stop_token& gone)>
      page_events;
};

/// Whether the path is one of the page to look at.
bool is_page_path(std::string_view path);
/// Whether it is one of those that show nothing of what the server knows.
bool is_page_asset(std::string_view path);

/// The HTTP status that tells of an error.
int status_of_error(const Error& error);

/// Whether there is such a page.
bool is_operator_page(const OperatorPages& pages, std::string_view path);

/// Whether the answer is the page's stream of events.
bool wants_page_events(const OperatorPages& pages, const HttpHead& head);

/// The answer to a request for one of the pages. May block.
HttpReply operator_reply(const OperatorPages& pages, const HttpRequest& request);

}  // namespace ws::server

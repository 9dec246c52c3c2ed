#include "server/transport/operator_pages.h"

#include <utility>

#include "server/protocol/message.h"

namespace ws::server {
namespace {

HttpReply page_reply(int status, const Json& body) {
  return {.status = status, .body = to_line(body)};
}

HttpReply ready_reply(const std::optional<std::string>& reason) {
  if (!reason) {
    return page_reply(200, {{"status", "ready"}});
  }
  HttpReply reply = page_reply(503, {{"status", "not ready"}, {"reason", *reason}});
  reply.headers.emplace_back("Retry-After", kRetryAfter);
  return reply;
}

HttpReply admin_reply(const OperatorPages& pages, const std::string& body) {
  const RpcResult<Json> order = parse_json(body);
  const Result<Json> answer = order && order->is_object() ? pages.admin(*order)
                                                          : fail(ErrorCode::kInvalidArgument,
                                                                 "the body must be a JSON object",
                                                                 R"(such as {"action": "status"})");
  return answer ? page_reply(200, *answer)
                : page_reply(status_of_error(answer.error()), {{"error", to_text(answer.error())}});
}

}  // namespace

int status_of_error(const Error& error) {
  constexpr int kFailed = 500;
  constexpr int kBad = 400;
  constexpr int kMissing = 404;
  constexpr int kLater = 503;
  return error.code == ErrorCode::kInvalidArgument ? kBad
         : error.code == ErrorCode::kNotFound      ? kMissing
         : error.code == ErrorCode::kBusy          ? kLater
                                                   : kFailed;
}

bool is_page_path(std::string_view path) {
  return path == kPagePath || path.starts_with(kPageParts);
}

bool is_page_asset(std::string_view path) {
  return path == kPagePath || path.starts_with(kPageAssets);
}

bool is_operator_page(const OperatorPages& pages, std::string_view path) {
  return (path == kMetricsPath && pages.metrics) || (path == kReadyPath && pages.unready) ||
         (path == kAdminPath && pages.admin) || (is_page_path(path) && pages.page);
}

bool wants_page_events(const OperatorPages& pages, const HttpHead& head) {
  return head.path == kPageEvents && head.method == "GET" && pages.page_events;
}

HttpReply operator_reply(const OperatorPages& pages, const HttpRequest& request) {
  if (request.head.path == kReadyPath) {
    return ready_reply(pages.unready());
  }
  if (request.head.path == kAdminPath) {
    return admin_reply(pages, request.body);
  }
  if (is_page_path(request.head.path)) {
    return pages.page(request.head);
  }
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = pages.metrics()};
}

}  // namespace ws::server

#include "server/cli/admin_client.h"

#include <utility>
#include <vector>

#include "runtime/archive/store/usage.h"
#include "runtime/base/clock.h"
#include "server/cli/http_client.h"
#include "server/cli/required_archive.h"
#include "server/protocol/message.h"
#include "server/transport/operator_pages.h"

namespace ws::server {
namespace {

constexpr int kMostJobs = 200;

}  // namespace

Result<Json> send_order(const OperateOptions& options, const Json& order) {
  WS_TRY(const std::optional<BearerToken> token, find_token(options.token));
  std::vector<std::pair<std::string, std::string>> headers;
  if (token) {
    headers.emplace_back("Authorization", token->header());
  }
  const std::string url = options.server_url.empty() ? kLocalServer : options.server_url;
  WS_TRY(ServerUrl page, parse_server_url(url));
  page.path = kAdminPath;
  WS_TRY(const HttpAnswer answer, http_post(page, headers, to_line(order), options.trust));
  const Json body = Json::parse(answer.body, nullptr, false);
  if (answer.status == 200 && body.is_object()) {
    return body;
  }
  const Json error = body.is_object() ? body.value("error", Json()) : Json();
  const Json text = error.is_object() ? error.value("message", Json()) : error;
  return fail(ErrorCode::kInvalidArgument,
              url + " refused with status " + std::to_string(answer.status) +
                  (text.is_string() ? ": " + text.get<std::string>() : std::string()));
}

Result<Json> stored_jobs(const OperateOptions& options) {
  Json jobs = Json::array();
  if (has_archive(options.place)) {
    WS_TRY(const auto usage, ArchiveUsage::open(options.place));
    WS_TRY(const std::vector<JobRow> rows, usage->jobs(kMostJobs));
    for (const JobRow& row : rows) {
      jobs.push_back({{"job_id", row.id},
                      {"tool", row.tool},
                      {"state", row.status},
                      {"updated_at", timestamp_of(row.updated_ms)},
                      {"resumed", row.resumed}});
    }
  }
  return Json{{"jobs", std::move(jobs)}};
}

}  // namespace ws::server

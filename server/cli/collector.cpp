#include "server/cli/collector.h"

#include <string_view>

#include "server/cli/http_client.h"
#include "server/cli/version.h"

namespace ws::server {

Result<std::unique_ptr<TraceExporter>> export_traces(const std::string& url) {
  constexpr int kLimitS = 5;
  constexpr std::string_view kPath = "/v1/traces";
  const std::string scheme = "http://";
  std::string whole = url;
  while (whole.ends_with('/')) {
    whole.pop_back();
  }
  if (!whole.starts_with(scheme) || whole.size() == scheme.size()) {
    return fail(ErrorCode::kInvalidArgument, "--otlp is not a collector's URL: " + url,
                "such as http://127.0.0.1:4318; one beside the server speaks TLS to others");
  }
  if (!whole.ends_with(kPath)) {
    whole += kPath;
  }
  WS_TRY(const ServerUrl place, parse_server_url(whole));
  const auto send = [place](const std::string& body) -> Status {
    WS_TRY(const HttpAnswer answer, http_post(place, {}, body, {}, kLimitS));
    constexpr int kTaken = 200;
    return answer.status == kTaken
               ? Status()
               : fail(ErrorCode::kIo, "status " + std::to_string(answer.status));
  };
  return std::make_unique<TraceExporter>(send, version());
}

}  // namespace ws::server

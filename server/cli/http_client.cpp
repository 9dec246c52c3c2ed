// The only file that includes cpp-httplib (0.11.4).
#include "server/cli/http_client.h"

#include <httplib.h>

namespace ws::server {
namespace {

constexpr int kReadSeconds = 3600;  // Longer than any wait_ms.

}  // namespace

Result<HttpAnswer> http_post(const std::string& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body) {
  const std::size_t path = url.find('/', std::string("http://").size());
  if (!url.starts_with("http://") || path == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "\"" + url + "\" is not a server's URL",
                "such as http://127.0.0.1:7411/mcp");
  }
  httplib::Client client(url.substr(0, path));
  client.set_read_timeout(kReadSeconds);
  httplib::Headers sent(headers.begin(), headers.end());
  const httplib::Result answer = client.Post(url.substr(path), sent, body, "application/json");
  if (!answer) {
    return fail(ErrorCode::kIo, "no answer from " + url,
                "start it with: warpsmith serve --http HOST:PORT",
                httplib::to_string(answer.error()));
  }
  return HttpAnswer{answer->status, answer->body};
}

}  // namespace ws::server

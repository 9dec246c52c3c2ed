#include "server/cli/http_client.h"

#include <string_view>

#include <dlfcn.h>

#include "runtime/base/files.h"
#include "server/cli/socket_post.h"
#include "server/transport/http_checks.h"

namespace ws::server {
namespace {

/// The library stays loaded.
Result<HttpPostFunction> load_post() {
  const std::string path = (executable_path().parent_path() / kHttpLibraryFile).string();
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, kHttpPostSymbol);
  if (symbol == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the command line loads nothing else meanwhile.
    const char* const why = ::dlerror();
    return fail(ErrorCode::kUnsupported, "the library that talks to servers cannot be loaded",
                "keep " + std::string(kHttpLibraryFile) + " beside the program", why);
  }
  return reinterpret_cast<HttpPostFunction>(symbol);
}

}  // namespace

Result<ServerUrl> parse_server_url(const std::string& text) {
  constexpr std::string_view kUnix = "unix:";
  constexpr std::string_view kHttp = "http://";
  if (text.starts_with(kUnix) && text.size() > kUnix.size()) {
    return ServerUrl{.server = text.substr(kUnix.size()), .path = kMcpPath, .is_socket = true};
  }
  const std::size_t path = text.find('/', kHttp.size());
  if (!text.starts_with(kHttp) || path == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "\"" + text + "\" is not a server's URL",
                "such as http://127.0.0.1:7411/mcp or unix:PATH");
  }
  return ServerUrl{.server = text.substr(0, path), .path = text.substr(path)};
}

Result<HttpAnswer> http_post(const ServerUrl& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body, int limit_s) {
  const HttpPost request = {url.server, url.path, headers, body, limit_s};
  if (url.is_socket) {
    return socket_post(request);
  }
  WS_TRY(const HttpPostFunction post, load_post());
  HttpAnswer answer;
  std::string reason;
  post(request, answer, reason);
  if (!reason.empty()) {
    return fail(ErrorCode::kIo, "no answer from " + url.server + url.path,
                "start it with: warpsmith serve --http HOST:PORT", reason);
  }
  return answer;
}

}  // namespace ws::server

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

constexpr std::string_view kSecure = "https://";

/// The library does not say which file it could not read.
Status check_trust(const HttpTrust& trust) {
  for (const std::string* file : {&trust.ca, &trust.certificate, &trust.key}) {
    if (!file->empty()) {
      WS_CHECK(read_file(*file));
    }
  }
  return {};
}

std::string hint_for(const ServerUrl& url, const std::string& reason) {
  if (!url.server.starts_with(kSecure)) {
    return "start it with: warpsmith serve --http HOST:PORT";
  }
  return reason.starts_with("SSL")
             ? "name its certificate, or that of its issuer: --ca FILE; only TLS 1.3 is spoken"
             : "start it with: warpsmith serve --http HOST:PORT --tls-cert FILE --tls-key FILE; "
               "where it asks clients for a certificate: --client-cert FILE --client-key FILE";
}

}  // namespace

Result<ServerUrl> parse_server_url(const std::string& text) {
  constexpr std::string_view kUnix = "unix:";
  constexpr std::string_view kHttp = "http://";
  if (text.starts_with(kUnix) && text.size() > kUnix.size()) {
    return ServerUrl{.server = text.substr(kUnix.size()), .path = kMcpPath, .is_socket = true};
  }
  const std::string_view scheme = text.starts_with(kSecure) ? kSecure : kHttp;
  const std::size_t path = text.find('/', scheme.size());
  if (!text.starts_with(scheme) || path == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "\"" + text + "\" is not a server's URL",
                "such as http://127.0.0.1:7411/mcp, https://HOST:7411/mcp or unix:PATH");
  }
  return ServerUrl{.server = text.substr(0, path), .path = text.substr(path)};
}

Result<HttpAnswer> http_post(const ServerUrl& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body, const HttpTrust& trust, int limit_s) {
  HttpPost request = {url.server, url.path, headers, body, limit_s};
  if (url.is_socket) {
    return socket_post(request);
  }
  if (url.server.starts_with(kSecure)) {
    WS_CHECK(check_trust(trust));
    request.trust = trust;
  }
  WS_TRY(const HttpPostFunction post, load_post());
  HttpAnswer answer;
  std::string reason;
  post(request, answer, reason);
  if (!reason.empty()) {
    return fail(ErrorCode::kIo, "no answer from " + url.server + url.path, hint_for(url, reason),
                reason);
  }
  return answer;
}

Result<HttpAnswer> http_get(const ServerUrl& url, const HttpTrust& trust, int limit_s) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  WS_CHECK(check_trust(trust));
  WS_TRY(const HttpPostFunction post, load_post());
  HttpAnswer answer;
  std::string reason;
  post({.server = url.server,
        .path = url.path,
        .headers = {{"Accept", "application/json"}},
        .body = {},
        .limit_s = limit_s,
        .trust = trust,
        .most_bytes = kMostBytes},
       answer, reason);
  if (!reason.empty()) {
    return fail(ErrorCode::kIo, "no answer from " + url.server + url.path, "", reason);
  }
  return answer;
}

}  // namespace ws::server

// One request to a server, for the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "server/cli/http_post.h"

namespace ws::server {

/// Where a server is.
struct ServerUrl {
  std::string server;  ///< "http://HOST:PORT", "https://HOST:PORT" or the path of a Unix socket.
  std::string path;    ///< "/mcp"
  bool is_socket = false;
};

/// @param text  "http://HOST:PORT/PATH", the same with https, or "unix:PATH", a socket's.
/// @errors kInvalidArgument.
Result<ServerUrl> parse_server_url(const std::string& text);

/// One POST of JSON.
/// @param limit_s  As HttpPost has it; a Unix socket has none.
/// @errors kIo: no answer, or a file of `trust` cannot be read. kUnsupported: no library for it.
Result<HttpAnswer> http_post(const ServerUrl& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body, const HttpTrust& trust = {},
                             int limit_s = HttpPost().limit_s);

/// One GET of at most 1 MiB over http: or https:. It follows no redirections.
/// @param limit_s  For all of it.
/// @errors As http_post().
Result<HttpAnswer> http_get(const ServerUrl& url, const HttpTrust& trust, int limit_s);

}  // namespace ws::server

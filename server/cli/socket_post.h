// A request over a Unix socket, for the command line: cpp-httplib 0.11 knows none.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "server/cli/http_post.h"

namespace ws::server {

/// One POST of JSON. @param post  `server` is the socket's path.
/// @errors kIo: nobody listens or answers there.
Result<HttpAnswer> socket_post(const HttpPost& post);

}  // namespace ws::server

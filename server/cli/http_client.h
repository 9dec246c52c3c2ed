// One request to a server, for the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "server/cli/http_post.h"

namespace ws::server {

/// One POST of JSON. `url` is http://HOST:PORT/PATH.
///
/// @errors kInvalidArgument: not such a URL. kIo: no answer. kUnsupported: no library for it.
Result<HttpAnswer> http_post(const std::string& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body);

}  // namespace ws::server

// One request to a server, for the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"

namespace ws::server {

/// The answer of a server.
struct HttpAnswer {
  int status = 0;
  std::string body;
};

/// One POST of JSON. `url` is http://HOST:PORT/PATH.
///
/// @errors kInvalidArgument: not such a URL. kIo: no answer.
Result<HttpAnswer> http_post(const std::string& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body);

}  // namespace ws::server

// Arguments of a tool that headers repeat, for those who route requests without reading them.
#pragma once

#include <string>
#include <vector>

#include "server/protocol/envelope.h"

namespace ws::server {

inline constexpr const char* kArgumentHeader = "mcp-param-";

struct MirroredArgument {
  std::string header;             ///< In lower case.
  std::vector<std::string> path;  ///< From the arguments down.
};

/// Those that an inputSchema marks by `x-mcp-header`. Most tools have none.
std::vector<MirroredArgument> mirrored_arguments(const Json& schema);

/// @errors -32020 with status 400: one is missing, is not encoded as it must be, or differs.
RpcResult<void> check_mirrored(const std::vector<MirroredArgument>& mirrored, const Json& arguments,
                               const McpHeaders& headers);

}  // namespace ws::server

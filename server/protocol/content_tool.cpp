#include "server/protocol/content_tool.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ws::server {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"debug", "info",     "notice", "warning",
                                                    "error", "critical", "alert",  "emergency"};

}  // namespace

std::optional<Severity> severity_of(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? std::nullopt
                               : std::optional(static_cast<Severity>(found - kNames.begin()));
}

std::string_view name_of(Severity severity) {
  return kNames.at(static_cast<std::size_t>(severity));
}

Result<Json> ContentTool::call(const Json& /*arguments*/, CallContext& /*context*/) {
  return fail(ErrorCode::kUnsupported, "the tool " + spec_.name + " answers over MCP only");
}

}  // namespace ws::server

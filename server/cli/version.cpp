#include "server/cli/version.h"

#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/archive/store/schema.h"

namespace ws::server {
namespace {

/// "NAME=VERSION,...", from cmake/WsVersions.cmake.
constexpr std::string_view kDependencies = WARPSMITH_DEPENDENCIES;

}  // namespace

const char* version() {
  return WARPSMITH_VERSION;
}

std::string version_json() {
  nlohmann::json dependencies = nlohmann::json::object();
  for (std::string_view rest = kDependencies; !rest.empty();) {
    const std::string_view row = rest.substr(0, rest.find(','));
    const std::size_t equals = row.find('=');
    const std::string found(row.substr(equals + 1));
    dependencies[std::string(row.substr(0, equals))] = found.empty() ? "unknown" : found;
    rest.remove_prefix(row.size() + 1);
  }
  return nlohmann::json{{"version", version()},
                        {"archive", archive_version()},
                        {"dependencies", std::move(dependencies)}}
      .dump();
}

}  // namespace ws::server

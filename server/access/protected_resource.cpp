#include "server/access/protected_resource.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace ws::server {

ProtectedResource::ProtectedResource(const TokenRules& rules)
    : rules_(rules) {
  const std::size_t host = rules.resource.find("://") + 3;
  const std::size_t path = std::min(rules.resource.find('/', host), rules.resource.size());
  const std::string rest = rules.resource.substr(path);
  path_ = std::string(kResourceMetadata) + (rest == "/" ? "" : rest);
  url_ = rules.resource.substr(0, path) + path_;
  nlohmann::ordered_json scopes = nlohmann::ordered_json::array();
  for (const Role role : {Role::kRead, Role::kUse, Role::kAdmin}) {
    scopes.push_back(scope_of(rules, role));
  }
  metadata_ = nlohmann::ordered_json{{"resource", rules.resource},
                                     {"authorization_servers", {rules.issuer}},
                                     {"scopes_supported", scopes},
                                     {"bearer_methods_supported", {"header"}},
                                     {"resource_name", "warpsmith"}}
                  .dump();
}

std::string ProtectedResource::challenge(Role role) const {
  return ", resource_metadata=\"" + url_ + "\", scope=\"" + scope_of(rules_, role) + "\"";
}

}  // namespace ws::server

#include "server/access/principals_toml.h"

#include <limits>
#include <utility>

namespace ws::server {

tl::unexpected<Error> bad_place(const std::string& file, const toml::source_region& at,
                                const std::string& why, std::string hint) {
  return fail(ErrorCode::kInvalidArgument,
              file + ":" + std::to_string(at.begin.line) + ":" + std::to_string(at.begin.column) +
                  ": " + why,
              std::move(hint));
}

Result<int> positive_integer(const std::string& file, std::string_view key,
                             const toml::node& node) {
  const auto* number = node.as_integer();
  if (number == nullptr || number->get() < 1 || number->get() > std::numeric_limits<int>::max()) {
    return bad_place(file, node.source(),
                     "`" + std::string(key) + "` must be an integer of 1 or more");
  }
  return static_cast<int>(number->get());
}

Result<bool> take_limit(const std::string& file, PrincipalLimits& limits, const toml::key& key,
                        const toml::node& node) {
  for (const LimitKey& limit : kLimitKeys) {
    if (key == limit.key) {
      WS_TRY(limits.*limit.limit, positive_integer(file, limit.key, node));
      return true;
    }
  }
  return false;
}

std::vector<std::string> limit_keys() {
  std::vector<std::string> keys;
  for (const LimitKey& limit : kLimitKeys) {
    keys.emplace_back(limit.key);
  }
  return keys;
}

}  // namespace ws::server

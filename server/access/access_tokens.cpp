#include "server/access/access_tokens.h"

#include <optional>
#include <utility>

namespace ws::server {

AccessTokens::AccessTokens(TokenRules rules, std::unique_ptr<IssuerKeys> keys, Now now)
    : rules_(std::move(rules)),
      keys_(std::move(keys)),
      now_(std::move(now)) {}

CheckedToken AccessTokens::check(std::string_view token) const {
  const std::optional<JwkSet> keys = keys_->current();
  if (!keys) {
    return tl::unexpected(TokenFault::kKeysAwaited);
  }
  CheckedToken checked = check_access_token(token, *keys, rules_, now_());
  if (!checked && checked.error() == TokenFault::kUnknownKey && keys_->ask_again()) {
    return tl::unexpected(TokenFault::kKeysAwaited);
  }
  return checked;
}

}  // namespace ws::server

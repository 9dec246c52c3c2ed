// The access tokens of one issuer, which a server takes beside its own tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "runtime/base/result.h"
#include "server/access/access_token.h"
#include "server/access/issuer_keys.h"

namespace ws::server {

/// Names of principals that come with an access token begin with it: no other name has a colon.
inline constexpr std::string_view kOAuthNames = "oauth:";

/// Any thread. No method waits for the issuer.
class AccessTokens {
 public:
  /// Seconds since the Unix epoch.
  using Now = std::function<std::int64_t()>;

  /// @param keys  Not null.
  AccessTokens(TokenRules rules, std::unique_ptr<IssuerKeys> keys, Now now);

  /// Reads a token. One whose key is not known asks for the issuer's keys again.
  [[nodiscard]] CheckedToken check(std::string_view token) const;

  [[nodiscard]] const TokenRules& rules() const { return rules_; }

  /// As IssuerKeys::reload().
  [[nodiscard]] Status reload() const { return keys_->reload(); }

 private:
  const TokenRules rules_;
  const std::unique_ptr<IssuerKeys> keys_;
  const Now now_;
};

}  // namespace ws::server

// OAuth of `serve`: whose access tokens are taken, and where the keys that check them come from.
#pragma once

#include <memory>
#include <string>

#include "runtime/base/result.h"
#include "server/access/access_tokens.h"

namespace ws::server {

struct OAuthOptions {
  TokenRules rules;      ///< No issuer: access tokens are not taken.
  std::string key_file;  ///< A key set, or empty.
  std::string key_url;   ///< Where it is fetched; both empty: where the issuer's metadata says.
  std::string ca;        ///< As HttpTrust::ca.
};

/// Null: the options name no issuer.
/// @errors kInvalidArgument: an option is missing beside another one, or is no URL that can be
/// trusted; as IssuerKeys::from_file().
Result<std::shared_ptr<const AccessTokens>> open_oauth(const OAuthOptions& options);

/// Reads the keys again, and logs how it went.
void reload_oauth(const AccessTokens& tokens);

}  // namespace ws::server

// Access tokens that an issuer signs (OAuth 2.1, RFC 9068): what is asked of one, and what it says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/access/jose.h"
#include "server/access/principal.h"

namespace ws::server {

/// The reasons to refuse a token. Their words, which go into a header, hold nothing of the token.
enum class TokenFault : std::uint8_t {
#define WS_TOKEN_FAULT(id, text) id,
#include "server/access/token_faults.def"
#undef WS_TOKEN_FAULT
};

std::string_view text_of(TokenFault fault);

/// The tokens that are taken, and how they are read.
struct TokenRules {
  std::string issuer;                       ///< Their `iss`, to the letter.
  std::string resource;                     ///< The URL of this server, which `aud` must name.
  std::string name_claim = "sub";           ///< The claim with the name of the principal.
  std::string scope_prefix = "warpsmith:";  ///< A scope is this and the name of a role.
};

struct TokenClaims {
  std::string name;         ///< 1 to 128 printable characters of ASCII, without quotes.
  Role role = Role::kRead;  ///< The highest of its scopes.
};

using CheckedToken = tl::expected<TokenClaims, TokenFault>;

/// Whether it has the form of a signed token: three parts.
bool is_signed_form(std::string_view token);

/// The signature first, then who issued it for whom, then its time.
///
/// @param now_s  Seconds since the Unix epoch. Clocks may differ by half a minute.
CheckedToken check_access_token(std::string_view token, const JwkSet& keys, const TokenRules& rules,
                                std::int64_t now_s);

/// The user whom the token names, though nobody may have signed it; empty: none.
std::string claimed_user(std::string_view token, const TokenRules& rules);

/// The scope that gives a role.
std::string scope_of(const TokenRules& rules, Role role);

}  // namespace ws::server

// The file that says who may use a server: TOML, with a table [[principal]] for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "runtime/base/result.h"
#include "server/access/principal.h"

namespace ws::server {

/// Wrong tokens that one address may show in a minute, where the file says nothing of them.
inline constexpr int kFailedLoginsPerMinute = 30;

/// As many tokens may a principal have at once: the old one and the new one, and some to spare.
inline constexpr std::size_t kMostTokens = 4;

/// A token of a principal.
struct TokenEntry {
  std::string hash;                         ///< As is_token_hash() wants it.
  std::optional<std::int64_t> expires_s{};  ///< Seconds since the Unix epoch; nothing: it does not.
};

struct PrincipalEntry {
  Principal principal;
  std::vector<TokenEntry> tokens{};  ///< At most kMostTokens; none: it has a user.
  std::optional<uid_t> user{};  ///< The user of this machine whose requests over a Unix socket are
                                ///< the principal's.
  bool shares = false;          ///< Others see what it stores.
  std::size_t line = 0;         ///< Where its table begins.
};

struct PrincipalsFile {
  std::vector<PrincipalEntry> entries;  ///< In their order; each name once.
  PrincipalLimits issued_limits{};      ///< For each who comes with an access token.
  int failed_logins_per_minute = kFailedLoginsPerMinute;
};

/// @param file  For the messages, which begin with "FILE:LINE:COLUMN: ".
/// @errors kInvalidArgument: no TOML, an unknown key, a value that cannot be, a name that is there
/// twice, or a user.
Result<PrincipalsFile> parse_principals(std::string_view text, const std::string& file);

/// The same of a file that only its owner may use. @errors As read_private_file() too.
Result<PrincipalsFile> read_principals(const std::filesystem::path& file);

/// The file's text. @errors As read_private_file(); kInvalidArgument: it is longer than 1 MiB.
Result<std::string> read_principals_text(const std::filesystem::path& file);

}  // namespace ws::server

// All principals of a server. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "runtime/base/result.h"
#include "server/access/access_tokens.h"
#include "server/access/bearer_token.h"
#include "server/access/principal.h"

namespace ws::server {

class Principals {
 public:
  using Known = std::shared_ptr<const Principal>;

  /// @param owner  The token of owner_principal(), if there is one.
  /// @param file  As parse_principals() reads it; empty: there is none.
  /// @param issued  Those of an issuer; null: none are taken.
  /// @errors As read_principals().
  static Result<std::shared_ptr<Principals>> open(std::optional<BearerToken> owner,
                                                  std::string file,
                                                  std::shared_ptr<const AccessTokens> issued = {});

  /// Reads the file again. Where that fails, all stays as it was. @errors As read_principals().
  Status reload();

  struct Found {
    Known who{};                        ///< Null: nobody.
    std::optional<TokenFault> fault{};  ///< Why an access token is refused.
  };

  /// Whether a token must be shown at all; else everybody is local_principal().
  [[nodiscard]] bool guarded() const { return owner_ || !file_.empty() || issued_; }

  /// The principal that the token belongs to: find_own(), then find_issued().
  [[nodiscard]] Found find(std::string_view token) const;

  /// The same among tokens of the file, and that of owner_principal(): some hashes.
  [[nodiscard]] Found find_own(std::string_view token) const;

  /// Whether it has the form of an access token, and those are taken.
  [[nodiscard]] bool may_be_issued(std::string_view token) const;

  /// The principal that an access token belongs to. Checks a signature. @param token  One that
  /// may_be_issued().
  [[nodiscard]] Found find_issued(std::string_view token) const;

  /// The name of the principal that it would be, though nobody may have signed it; the same.
  [[nodiscard]] std::string claimed_issued(std::string_view token) const;

  /// The principal of a user of this machine, who is at the other end of a Unix socket:
  /// local_principal() for the user that runs the server, and for root. Null: none.
  [[nodiscard]] Known of_user(uid_t user) const;

  /// Whether the file names users.
  [[nodiscard]] bool has_users() const;

  /// Those of the file, in its order.
  [[nodiscard]] std::vector<Known> list() const;

  /// Each of those that come with an access token.
  [[nodiscard]] PrincipalLimits issued_limits() const;

  /// Wrong tokens that one address may show in a minute.
  [[nodiscard]] int failed_logins_per_minute() const;

 private:
  struct Book;

  Principals(std::optional<BearerToken> owner, std::string file,
             std::shared_ptr<const AccessTokens> issued);

  [[nodiscard]] std::shared_ptr<const Book> book() const;

  const std::optional<BearerToken> owner_;
  const std::string file_;
  const std::shared_ptr<const AccessTokens> issued_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Book> book_;  // guarded by mutex_
};

}  // namespace ws::server

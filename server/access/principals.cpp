#include "server/access/principals.h"

#include <functional>
#include <utility>

#include <unistd.h>

#include "runtime/base/clock.h"
#include "server/access/principals_file.h"
#include "server/access/token_hash.h"

namespace ws::server {

/// The file as it was read last.
struct Principals::Book {
  struct Row {
    Known who;
    std::vector<TokenEntry> tokens;
  };

  std::map<std::string, Row, std::less<>> rows;
  std::map<uid_t, Known> users;
  std::vector<Known> all;
  PrincipalLimits issued_limits{};
  int failed_logins_per_minute = kFailedLoginsPerMinute;
};

Principals::Principals(std::optional<BearerToken> owner, std::string file,
                       std::shared_ptr<const AccessTokens> issued)
    : owner_(std::move(owner)),
      file_(std::move(file)),
      issued_(std::move(issued)),
      book_(std::make_shared<const Book>()) {}

Result<std::shared_ptr<Principals>> Principals::open(std::optional<BearerToken> owner,
                                                     std::string file,
                                                     std::shared_ptr<const AccessTokens> issued) {
  std::shared_ptr<Principals> principals(
      new Principals(std::move(owner), std::move(file), std::move(issued)));
  WS_CHECK(principals->reload());
  return principals;
}

Status Principals::reload() {
  if (file_.empty()) {
    return {};
  }
  WS_TRY(PrincipalsFile file, read_principals(file_));
  auto book = std::make_shared<Book>();
  book->failed_logins_per_minute = file.failed_logins_per_minute;
  book->issued_limits = file.issued_limits;
  for (PrincipalEntry& entry : file.entries) {
    const std::string name = entry.principal.name;
    book->all.push_back(std::make_shared<const Principal>(std::move(entry.principal)));
    if (entry.user) {
      book->users[*entry.user] = book->all.back();
    }
    if (!entry.tokens.empty()) {
      book->rows.emplace(name, Book::Row{book->all.back(), std::move(entry.tokens)});
    }
  }
  const std::lock_guard lock(mutex_);
  book_ = std::move(book);
  return {};
}

std::shared_ptr<const Principals::Book> Principals::book() const {
  const std::lock_guard lock(mutex_);
  return book_;
}

Principals::Found Principals::find(std::string_view token) const {
  Found found = find_own(token);
  return found.who || found.fault || !may_be_issued(token) ? found : find_issued(token);
}

bool Principals::may_be_issued(std::string_view token) const {
  return issued_ && is_signed_form(token);
}

std::string Principals::claimed_issued(std::string_view token) const {
  return std::string(kOAuthNames) + claimed_user(token, issued_->rules());
}

Principals::Found Principals::find_own(std::string_view token) const {
  const std::shared_ptr<const Book> book = this->book();
  const auto row = book->rows.find(claimed_name(token));
  const bool known = row != book->rows.end();
  const TokenEntry* shown = nullptr;
  // Nobody learns from the time whether there is such a name, nor how many tokens it has.
  for (std::size_t i = 0; i < kMostTokens; ++i) {
    const bool has = known && i < row->second.tokens.size();
    const TokenEntry* const entry = has ? &row->second.tokens[i] : nullptr;
    shown = matches_hash(token, has ? entry->hash : no_token_hash()) ? entry : shown;
  }
  if (shown != nullptr) {
    constexpr std::int64_t kMsInSecond = 1000;
    const bool over = shown->expires_s && unix_ms() / kMsInSecond >= *shown->expires_s;
    return over ? Found{.fault = TokenFault::kExpired} : Found{.who = row->second.who};
  }
  if (owner_ && owner_->matches(token)) {
    return {.who = owner_principal()};
  }
  return {};
}

Principals::Found Principals::find_issued(std::string_view token) const {
  CheckedToken checked = issued_->check(token);
  if (!checked) {
    return {.fault = checked.error()};
  }
  Principal who{.name = std::string(kOAuthNames) + checked->name,
                .role = checked->role,
                .limits = issued_limits()};
  who.viewer = viewer_of(who, false);
  return {.who = std::make_shared<const Principal>(std::move(who))};
}

Principals::Known Principals::of_user(uid_t user) const {
  if (user == ::geteuid() || user == 0) {
    return local_principal();
  }
  const std::shared_ptr<const Book> book = this->book();
  const auto at = book->users.find(user);
  return at == book->users.end() ? nullptr : at->second;
}

bool Principals::has_users() const {
  return !book()->users.empty();
}

std::vector<Principals::Known> Principals::list() const {
  return book()->all;
}

PrincipalLimits Principals::issued_limits() const {
  return book()->issued_limits;
}

int Principals::failed_logins_per_minute() const {
  return book()->failed_logins_per_minute;
}

}  // namespace ws::server

#include "server/access/principals_file.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

// NOLINTNEXTLINE(readability-identifier-naming): the name that the library looks for
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "runtime/base/nearest.h"
#include "server/access/private_file.h"
#include "server/access/token_hash.h"

namespace ws::server {
namespace {

constexpr std::size_t kLongestFile = std::size_t{1} << 20U;

/// Since the Unix epoch. Nothing: it is no time with a zone.
std::optional<std::int64_t> seconds_of(const toml::node& node) {
  const auto* const value = node.as_date_time();
  if (value == nullptr || !value->get().offset) {
    return std::nullopt;
  }
  const toml::date_time& at = value->get();
  const std::chrono::sys_days day = std::chrono::year(at.date.year) /
                                    static_cast<int>(at.date.month) / static_cast<int>(at.date.day);
  const std::chrono::seconds since = day.time_since_epoch() + std::chrono::hours(at.time.hour) +
                                     std::chrono::minutes(at.time.minute - at.offset->minutes) +
                                     std::chrono::seconds(at.time.second);
  return since.count();
}

class PrincipalsReader {
 public:
  explicit PrincipalsReader(const std::string& file)
      : file_(file) {}

  Result<PrincipalsFile> read(std::string_view text) {
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
      return bad(parsed.error().source(), std::string(parsed.error().description()));
    }
    for (const auto& [key, node] : parsed.table()) {
      if (key == "principal") {
        WS_CHECK(add_all(node));
      } else if (key == "failed-logins-per-minute") {
        WS_TRY(result_.failed_logins_per_minute, positive(key.str(), node));
      } else if (key == "oauth") {
        WS_CHECK(take_issued(node));
      } else {
        return bad(key.source(), "no setting `" + std::string(key.str()) + "`",
                   suggest(key.str(), {"principal", "failed-logins-per-minute", "oauth"}));
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> bad(const toml::source_region& at, const std::string& why,
                                          std::string hint = {}) const {
    return fail(ErrorCode::kInvalidArgument,
                file_ + ":" + std::to_string(at.begin.line) + ":" +
                    std::to_string(at.begin.column) + ": " + why,
                std::move(hint));
  }

  [[nodiscard]] Result<int> positive(std::string_view key, const toml::node& node) const {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < 1 || number->get() > std::numeric_limits<int>::max()) {
      return bad(node.source(), "`" + std::string(key) + "` must be an integer of 1 or more");
    }
    return static_cast<int>(number->get());
  }

  Status add_all(const toml::node& node) {
    const auto* tables = node.as_array();
    if (tables == nullptr) {
      return bad(node.source(), "a principal is a table of its own: [[principal]]");
    }
    for (const toml::node& one : *tables) {
      const auto* table = one.as_table();
      if (table == nullptr) {
        return bad(one.source(), "a principal is a table of its own: [[principal]]");
      }
      WS_CHECK(add(*table));
    }
    return {};
  }

  /// The limits of each who comes with an access token.
  Status take_issued(const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) {
      return bad(node.source(), "`oauth` is a table: [oauth]");
    }
    for (const auto& [key, limit] : *table) {
      WS_TRY(const bool taken, take_limit(result_.issued_limits, key, limit));
      if (!taken) {
        return bad(key.source(), "[oauth] has no `" + std::string(key.str()) + "`",
                   suggest(key.str(), limit_keys()));
      }
    }
    return {};
  }

  /// False: the key is that of no limit.
  Result<bool> take_limit(PrincipalLimits& limits, const toml::key& key,
                          const toml::node& node) const {
    for (const LimitKey& limit : kLimitKeys) {
      if (key == limit.key) {
        WS_TRY(limits.*limit.limit, positive(limit.key, node));
        return true;
      }
    }
    return false;
  }

  static std::vector<std::string> limit_keys() {
    std::vector<std::string> keys;
    for (const LimitKey& limit : kLimitKeys) {
      keys.emplace_back(limit.key);
    }
    return keys;
  }

  Status add(const toml::table& table) {
    PrincipalEntry entry;
    entry.line = table.source().begin.line;
    for (const auto& [key, node] : table) {
      WS_CHECK(take(entry, key, node));
    }
    WS_CHECK(check_tokens(entry, table));
    const bool known = !entry.tokens.empty() || entry.user;
    if (!known || !table.contains("name") || !table.contains("role")) {
      return bad(table.source(),
                 known ? "the principal has no `name` or no `role`"
                       : "the principal has neither a `hash` nor a `uid`",
                 "make one with: warpsmith token new NAME --role use --file " + file_);
    }
    Principal& who = entry.principal;
    who.viewer = std::make_shared<const Viewer>(
        Viewer{.owner = who.name, .sees_all = who.may(Role::kAdmin), .shares = entry.shares});
    result_.entries.push_back(std::move(entry));
    return {};
  }

  /// The token of a table with a `hash`, if it has one.
  Status take_token(PrincipalEntry& entry, const toml::table& table) const {
    const toml::node* const hash = table.get("hash");
    const toml::node* const expires = table.get("expires");
    if (hash == nullptr) {
      return expires == nullptr ? Status() : bad(expires->source(), "`expires` needs a `hash`");
    }
    TokenEntry token{.hash = hash->value_or(std::string())};
    if (!is_token_hash(token.hash)) {
      return bad(hash->source(), "`hash` is not one that `warpsmith token new` makes");
    }
    if (expires != nullptr) {
      token.expires_s = seconds_of(*expires);
      if (!token.expires_s) {
        return bad(expires->source(),
                   "`expires` must be a time with its zone, such as 2027-01-31T00:00:00Z");
      }
    }
    entry.tokens.push_back(std::move(token));
    return {};
  }

  /// The tables [[principal.token]].
  Status take_tokens(PrincipalEntry& entry, const toml::node& node) const {
    const auto* tables = node.as_array();
    for (std::size_t i = 0; tables != nullptr && i < tables->size(); ++i) {
      const auto* table = tables->get_as<toml::table>(i);
      if (table == nullptr || !table->contains("hash")) {
        return bad(node.source(), "a token is a table with a `hash`: [[principal.token]]");
      }
      for (const auto& [key, value] : *table) {
        if (key != "hash" && key != "expires") {
          return bad(key.source(), "a token has no `" + std::string(key.str()) + "`",
                     suggest(key.str(), {"hash", "expires"}));
        }
      }
      WS_CHECK(take_token(entry, *table));
    }
    return tables != nullptr
               ? Status()
               : bad(node.source(), "a token is a table with a `hash`: [[principal.token]]");
  }

  /// The token of the table itself, which is the oldest, and how many there are.
  [[nodiscard]] Status check_tokens(PrincipalEntry& entry, const toml::table& table) const {
    PrincipalEntry own;
    WS_CHECK(take_token(own, table));
    entry.tokens.insert(entry.tokens.begin(), own.tokens.begin(), own.tokens.end());
    if (entry.tokens.size() > kMostTokens) {
      return bad(table.source(),
                 "a principal has at most " + std::to_string(kMostTokens) + " tokens",
                 "remove those that nobody shows: warpsmith token revoke " + entry.principal.name +
                     " --old --file " + file_);
    }
    return {};
  }

  Status take(PrincipalEntry& entry, const toml::key& key, const toml::node& node) const {
    WS_TRY(const bool limit, take_limit(entry.principal.limits, key, node));
    if (limit) {
      return {};
    }
    const std::string text = node.value_or(std::string());
    if (key == "name") {
      entry.principal.name = text;
      return check_name(text, node);
    }
    if (key == "role") {
      const std::optional<Role> role = role_of(text);
      entry.principal.role = role.value_or(Role::kRead);
      return role ? Status() : bad(node.source(), "`role` must be \"read\", \"use\" or \"admin\"");
    }
    if (key == "visibility") {
      entry.shares = text == "shared";
      return entry.shares || text == "private"
                 ? Status()
                 : bad(node.source(), "`visibility` must be \"private\" or \"shared\"");
    }
    if (key == "uid") {
      WS_TRY(const int user, positive("uid", node));
      entry.user = static_cast<uid_t>(user);
      return check_user(*entry.user, node);
    }
    if (key == "hash" || key == "expires") {
      return {};  // Together: check_tokens().
    }
    if (key == "token") {
      return take_tokens(entry, node);
    }
    std::vector<std::string> known = limit_keys();
    known.insert(known.begin(), {"name", "role", "hash", "uid", "expires", "token", "visibility"});
    return bad(key.source(), "a principal has no `" + std::string(key.str()) + "`",
               suggest(key.str(), known));
  }

  [[nodiscard]] Status check_name(const std::string& name, const toml::node& node) const {
    if (!is_principal_name(name)) {
      return bad(node.source(), "`name` must be 1 to 64 letters, digits, dashes and underscores");
    }
    if (name == local_principal()->name || name == owner_principal()->name) {
      return bad(node.source(), "`" + name + "` is the name of a principal that needs no entry",
                 "choose another name");
    }
    if (std::any_of(result_.entries.begin(), result_.entries.end(),
                    [&](const PrincipalEntry& other) { return other.principal.name == name; })) {
      return bad(node.source(), "there is a principal `" + name + "` already");
    }
    return {};
  }

  [[nodiscard]] Status check_user(uid_t user, const toml::node& node) const {
    for (const PrincipalEntry& other : result_.entries) {
      if (other.user == user) {
        return bad(node.source(), "the user " + std::to_string(user) + " is the principal `" +
                                      other.principal.name + "` already");
      }
    }
    return {};
  }

  const std::string& file_;
  PrincipalsFile result_;
};

}  // namespace

Result<PrincipalsFile> parse_principals(std::string_view text, const std::string& file) {
  return PrincipalsReader(file).read(text);
}

Result<std::string> read_principals_text(const std::filesystem::path& file) {
  WS_TRY(std::string text, read_private_file(file, "principals file", kLongestFile + 1));
  if (text.size() > kLongestFile) {
    return fail(ErrorCode::kInvalidArgument,
                "the principals file " + file.string() + " is longer than 1 MiB");
  }
  return text;
}

Result<PrincipalsFile> read_principals(const std::filesystem::path& file) {
  WS_TRY(const std::string text, read_principals_text(file));
  return parse_principals(text, file.string());
}

}  // namespace ws::server

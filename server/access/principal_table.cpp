#include "server/access/principal_table.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "runtime/base/nearest.h"
#include "server/access/token_hash.h"

namespace ws::server {
namespace {

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

class PrincipalTable {
 public:
  PrincipalTable(const std::string& file, const std::vector<PrincipalEntry>& before)
      : file_(file),
        before_(before) {}

  Result<PrincipalEntry> read(const toml::table& table) const {
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
    who.viewer = viewer_of(who, entry.shares);
    return entry;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> bad(const toml::source_region& at, const std::string& why,
                                          std::string hint = {}) const {
    return bad_place(file_, at, why, std::move(hint));
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
    WS_TRY(const bool limit, take_limit(file_, entry.principal.limits, key, node));
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
      WS_TRY(const int user, positive_integer(file_, "uid", node));
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
    if (std::any_of(before_.begin(), before_.end(),
                    [&](const PrincipalEntry& other) { return other.principal.name == name; })) {
      return bad(node.source(), "there is a principal `" + name + "` already");
    }
    return {};
  }

  [[nodiscard]] Status check_user(uid_t user, const toml::node& node) const {
    for (const PrincipalEntry& other : before_) {
      if (other.user == user) {
        return bad(node.source(), "the user " + std::to_string(user) + " is the principal `" +
                                      other.principal.name + "` already");
      }
    }
    return {};
  }

  const std::string& file_;
  const std::vector<PrincipalEntry>& before_;
};

}  // namespace

Result<PrincipalEntry> read_principal(const toml::table& table, const std::string& file,
                                      const std::vector<PrincipalEntry>& before) {
  return PrincipalTable(file, before).read(table);
}

}  // namespace ws::server

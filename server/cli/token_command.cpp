// Makes, lists and revokes the tokens in a principals file.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/base/clock.h"
#include "server/access/principals_file.h"
#include "server/access/private_file.h"
#include "server/access/token_hash.h"
#include "server/cli/commands.h"
#include "server/cli/principals_edit.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::chrono::seconds kPatience{10};

/// Seconds since the Unix epoch. @param text  "90d" or "2027-01-31"; empty: never.
Result<std::optional<std::int64_t>> end_of(const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  constexpr int kMostDays = 36500;
  int days = 0;
  const char* const last = text.data() + text.size() - 1;
  const auto [end, error] = std::from_chars(text.data(), last, days);
  if (*last == 'd' && end == last && error == std::errc{} && days > 0 && days <= kMostDays) {
    return unix_ms() / kMsPerSecond + std::chrono::seconds(std::chrono::days(days)).count();
  }
  std::tm date{};
  const char* const rest = ::strptime(text.c_str(), "%Y-%m-%d", &date);
  if (rest == nullptr || *rest != '\0') {
    return fail(ErrorCode::kInvalidArgument, "--expires is no end of a token: " + text,
                "such as 90d, or 2027-01-31, which is 00:00 UTC");
  }
  return ::timegm(&date);
}

/// Writes the file, and gives the text that shows the token.
Result<std::string> issue(const TokenOptions& options, const std::string& text,
                          const IssuedToken& token) {
  WS_CHECK(replace_private_file(options.file, text));
  std::fputs(
      "This is the only time that the token is shown. A running server takes it after "
      "SIGHUP.\n",
      stderr);
  if (!options.json) {
    return token.text + "\n";
  }
  OrderedJson shown = {{"name", options.name}};
  if (options.action == "new") {
    shown["role"] = options.role;
  }
  shown["token"] = token.text;
  return to_line(shown) + "\n";
}

Result<std::string> make_token(const TokenOptions& options) {
  const std::optional<Role> role = role_of(options.role);
  if (!is_principal_name(options.name) || !role) {
    return fail(ErrorCode::kInvalidArgument,
                role ? "a name has 1 to 64 letters, digits, dashes and underscores"
                     : "a role is read, use or admin");
  }
  WS_TRY(const std::optional<std::int64_t> expires, end_of(options.expires));
  std::string text;
  if (std::filesystem::exists(options.file)) {
    WS_TRY(text, read_principals_text(options.file));
  }
  const IssuedToken token = issue_token(options.name);
  WS_TRY(const std::string longer, with_principal(text, {.name = options.name, .role = *role},
                                                  {token.hash, expires}, options.file));
  return issue(options, longer, token);
}

Result<std::string> add_another(const TokenOptions& options) {
  WS_TRY(const std::optional<std::int64_t> expires, end_of(options.expires));
  WS_TRY(const std::string text, read_principals_text(options.file));
  const IssuedToken token = issue_token(options.name);
  WS_TRY(const std::string longer,
         with_token(text, options.name, {token.hash, expires}, options.file));
  return issue(options, longer, token);
}

Result<std::string> revoke_token(const TokenOptions& options) {
  WS_TRY(const std::string text, read_principals_text(options.file));
  WS_TRY(const std::string shorter, options.old
                                        ? without_old_tokens(text, options.name, options.file)
                                        : without_principal(text, options.name, options.file));
  WS_CHECK(replace_private_file(options.file, shorter));
  if (options.json) {
    return to_line(OrderedJson{{"revoked", options.name}}) + "\n";
  }
  return "`" + options.name +
         (options.old ? "` keeps its last token; a running server refuses the others after SIGHUP\n"
                      : "` is removed; a running server refuses its token after SIGHUP\n");
}

/// Where there is one token without an end, nothing is said of it.
void add_tokens(const std::vector<TokenEntry>& tokens, OrderedJson& row, std::string& text) {
  if (tokens.size() == 1 && !tokens.front().expires_s) {
    return;
  }
  OrderedJson list = OrderedJson::array();
  for (const TokenEntry& token : tokens) {
    const std::string end =
        token.expires_s ? timestamp_of(*token.expires_s * kMsPerSecond) : std::string("never");
    list.push_back({{"expires", end}});
    text += " expires=" + end;
  }
  row["tokens"] = std::move(list);
}

Result<std::string> list_tokens(const TokenOptions& options) {
  WS_TRY(const PrincipalsFile file, read_principals(options.file));
  OrderedJson rows = OrderedJson::array();
  std::string text;
  for (const PrincipalEntry& entry : file.entries) {
    const Principal& who = entry.principal;
    OrderedJson row = {{"name", who.name}, {"role", name_of(who.role)}};
    text += who.name + " " + std::string(name_of(who.role));
    if (entry.user) {
      row["uid"] = *entry.user;
      text += " uid=" + std::to_string(*entry.user);
    }
    add_tokens(entry.tokens, row, text);
    for (const LimitKey& known : kLimitKeys) {
      if (const std::optional<int> limit = who.limits.*known.limit) {
        row[std::string(known.key)] = *limit;
        text += " " + std::string(known.key) + "=" + std::to_string(*limit);
      }
    }
    rows.push_back(std::move(row));
    text += "\n";
  }
  return options.json ? to_line(OrderedJson{{"principals", std::move(rows)}}) + "\n" : text;
}

/// Two of these at once would lose what one of them writes.
Result<std::string> change_tokens(const TokenOptions& options) {
  WS_TRY([[maybe_unused]] const PrivateFileLock lock,
         PrivateFileLock::take(options.file, kPatience));
  return options.action == "new"   ? make_token(options)
         : options.action == "add" ? add_another(options)
                                   : revoke_token(options);
}

}  // namespace

int token_command(const TokenOptions& options) {
  const Result<std::string> text =
      options.action == "list" ? list_tokens(options) : change_tokens(options);
  std::fputs(text ? text->c_str() : (to_text(text.error()) + "\n").c_str(), text ? stdout : stderr);
  return text ? kExitOk : kExitFailed;
}

}  // namespace ws::server

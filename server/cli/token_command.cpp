// Makes, lists and revokes the tokens in a principals file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "server/access/principals_file.h"
#include "server/access/private_file.h"
#include "server/access/token_hash.h"
#include "server/cli/commands.h"
#include "server/cli/principals_edit.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

Result<std::string> make_token(const TokenOptions& options) {
  const std::optional<Role> role = role_of(options.role);
  if (!is_principal_name(options.name) || !role) {
    return fail(ErrorCode::kInvalidArgument,
                role ? "a name has 1 to 64 letters, digits, dashes and underscores"
                     : "a role is read, use or admin");
  }
  std::string text;
  if (std::filesystem::exists(options.file)) {
    WS_TRY(text, read_principals_text(options.file));
  }
  const IssuedToken token = issue_token(options.name);
  WS_TRY(const std::string longer,
         with_principal(text, {.name = options.name, .role = *role}, token.hash, options.file));
  WS_CHECK(replace_private_file(options.file, longer));
  std::fputs(
      "This is the only time that the token is shown. A running server takes it after "
      "SIGHUP.\n",
      stderr);
  return options.json
             ? to_line(OrderedJson{
                   {"name", options.name}, {"role", options.role}, {"token", token.text}}) +
                   "\n"
             : token.text + "\n";
}

Result<std::string> revoke_token(const TokenOptions& options) {
  WS_TRY(const std::string text, read_principals_text(options.file));
  WS_TRY(const std::string shorter, without_principal(text, options.name, options.file));
  WS_CHECK(replace_private_file(options.file, shorter));
  return options.json ? to_line(OrderedJson{{"revoked", options.name}}) + "\n"
                      : "`" + options.name +
                            "` is removed; a running server refuses its token after SIGHUP\n";
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

}  // namespace

int token_command(const TokenOptions& options) {
  const Result<std::string> text = options.action == "new"      ? make_token(options)
                                   : options.action == "revoke" ? revoke_token(options)
                                                                : list_tokens(options);
  std::fputs(text ? text->c_str() : (to_text(text.error()) + "\n").c_str(), text ? stdout : stderr);
  return text ? kExitOk : kExitFailed;
}

}  // namespace ws::server

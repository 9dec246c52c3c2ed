// Options of the sub-commands for those who operate a server.
#include <string>

#include <CLI/CLI.hpp>

#include "server/cli/admin_client.h"
#include "server/cli/command_line.h"

namespace ws::server {
namespace {

CLI::App* add_operating(CLI::App& app, CommandLine& line, const char* name, const char* what) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("--server", line.operate.server_url,
                      "URL of the server, or unix:PATH; default: " + std::string(kLocalServer));
  command->add_option("--token-file", line.operate.token.file,
                      "File with the server's token, mode 0600; default: WARPSMITH_TOKEN");
  add_trust(*command, line.operate.trust);
  command->add_flag("--json", line.operate.json, "JSON, no table");
  add_data(*command, line);
  add_store(*command, line);
  return command;
}

CLI::App* add_token_action(CLI::App& token, TokenOptions& options, const char* name,
                           const char* what) {
  CLI::App* action = token.add_subcommand(name, what);
  action->add_option("--file", options.file, "The file that `serve --principals` reads")
      ->required();
  action->add_flag("--json", options.json, "One JSON object, no text");
  action->callback([&options, name] { options.action = name; });
  return action;
}

void add_token_command(CLI::App& app, TokenOptions& options) {
  CLI::App* token = app.add_subcommand("token", "Say who may use a server over HTTP");
  token->require_subcommand(1);
  CLI::App* made = add_token_action(*token, options, "new",
                                    "Add a principal to the file, and print its token once");
  made->add_option("NAME", options.name, "Letters, digits, dashes and underscores")->required();
  CLI::App* more = add_token_action(*token, options, "add",
                                    "Give a principal another token beside those it has");
  more->add_option("NAME", options.name, "The principal")->required();
  for (CLI::App* action : {made, more}) {
    action->add_option("--expires", options.expires,
                       "The end of the token: days, such as 90d, or a date, such as 2027-01-31");
  }
  made->add_option("--role", options.role, "read, use or admin")
      ->check(CLI::IsMember({"read", "use", "admin"}))
      ->default_str("use");
  add_token_action(*token, options, "list", "List the principals, their roles and limits");
  CLI::App* revoked =
      add_token_action(*token, options, "revoke", "Remove a principal from the file");
  revoked->add_option("NAME", options.name, "The principal")->required();
  revoked->add_flag("--old", options.old, "Remove only its tokens before the last");
}

}  // namespace

void add_operate(CLI::App& app, CommandLine& line) {
  CLI::App* jobs = add_operating(app, line, "jobs", "List a server's jobs, or end one");
  CLI::Option* follow =
      jobs->add_flag("--follow", line.operate.follow, "Go on with what changes, each second");
  jobs->add_option("--cancel", line.operate.cancel, "The id of a job: it ends, whoever wants it")
      ->excludes(follow);
  add_operating(app, line, "sessions", "List the sessions of a server's older clients");
  add_operating(app, line, "top", "Show a server's load; on a terminal again and again");
  add_token_command(app, line.token);
  app.add_subcommand("metrics", "List the metrics of GET /metrics as a table of Markdown");
}

}  // namespace ws::server

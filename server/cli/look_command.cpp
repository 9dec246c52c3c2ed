// log, show, diff and compare.
#include <cstdio>
#include <string>

#include "server/cli/commands.h"
#include "server/cli/required_archive.h"
#include "server/look/look.h"

namespace ws::server {
namespace {

Result<std::string> look_text(Look& look, const LookOptions& options) {
  if (options.action == "show") {
    return look.show(options.names.front());
  }
  if (options.action == "diff") {
    return look.diff(options.names);
  }
  if (options.action == "compare") {
    return look.compare(options.names);
  }
  return look.log({options.names.empty() ? "" : options.names.front(), options.most});
}

Result<Json> look_json(Look& look, const LookOptions& options) {
  if (options.action == "show") {
    return look.show_json(options.names.front());
  }
  if (options.action == "diff") {
    return look.diff_json(options.names);
  }
  if (options.action == "compare") {
    return look.compare_json(options.names);
  }
  return look.log_json({options.names.empty() ? "" : options.names.front(), options.most});
}

Result<std::string> answer_to(const LookOptions& options) {
  WS_CHECK(require_archive(options.place));
  WS_TRY(const auto archive, Archive::open(options.place));
  WS_TRY(const auto listing, ArchiveListing::open(options.place));
  Look look(*listing, options.terminal);
  if (!options.json) {
    return look_text(look, options);
  }
  WS_TRY(const Json form, look_json(look, options));
  return to_line(form) + "\n";
}

}  // namespace

int look_command(const LookOptions& options) {
  const Result<std::string> answer = answer_to(options);
  if (!answer) {
    std::fputs((to_text(answer.error()) + "\n").c_str(), stderr);
    return kExitFailed;
  }
  std::fputs(answer->c_str(), stdout);
  return kExitOk;
}

}  // namespace ws::server

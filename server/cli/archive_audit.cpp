#include "server/cli/archive_audit.h"

#include <string>
#include <string_view>

#include <unistd.h>

#include "runtime/base/audit.h"

namespace ws::server {
namespace {

bool changes_archive(const ArchiveOptions& options) {
  const std::string& action = options.action;
  return action == "import" || action == "note" || action == "tag" || action == "share" ||
         action == "unshare" || action == "restore" || action == "move" ||
         (action == "gc" && options.remove) || (action == "migrate" && !options.dry_run);
}

}  // namespace

Status begin_audit(const ArchiveOptions& options) {
  return options.audit_file.empty() ? Status() : open_audit(options.audit_file);
}

void audit_action(const ArchiveOptions& options, const Result<ArchiveDone>& done) {
  if (!is_audited() || !changes_archive(options)) {
    return;
  }
  OrderedJson members = {{"user", ::getuid()}, {"action", options.action}};
  if (done) {
    for (const auto& [name, value] : done->json.items()) {
      if (!value.is_array()) {  // Lists of ids may be long; their counts are beside them.
        members[name] = value;
      }
    }
  }
  members["outcome"] = done ? std::string_view("ok") : word(done.error().code);
  const std::string text = to_line(members);
  audit("archive", std::string_view(text).substr(1, text.size() - 2));
}

}  // namespace ws::server

// A call of a tool as a line of the audit log.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/audit.h"
#include "runtime/base/json_string.h"
#include "server/protocol/methods.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostIds = 100;  // As many as a batch may name; more are left out.

using Ids = std::vector<std::string_view>;

/// Ids with one of the prefixes in the strings of a form.
void add_ids(const Json& form, Ids& ids) {
  if (form.is_string()) {
    const std::string_view text = form.get_ref<const std::string&>();
    for (const std::string_view prefix : {"krn_", "prb_", "job_", "evd_"}) {
      if (text.starts_with(prefix)) {
        ids.push_back(
            text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_")));
      }
    }
    return;
  }
  for (const Json& part : form) {
    if (part.is_string() || part.is_array()) {  // The text of a kernel names nothing.
      add_ids(part, ids);
    }
  }
}

/// Each once, as an array.
void append_ids(std::string& members, const Json* form) {
  Ids ids;
  if (form != nullptr && form->is_object()) {
    add_ids(*form, ids);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  ids.resize(std::min(ids.size(), kMostIds));
  const char* before = "[";
  for (const std::string_view id : ids) {
    members += before;
    append_shown_json_string(members, id);
    before = ",";
  }
  members += ids.empty() ? "[]" : "]";
}

}  // namespace

void McpServer::audit_call(const Call& call, const ToolCall& tool, const Json* output,
                           std::string_view outcome, bool reads) {
  constexpr std::size_t kUsualSize = 256;
  if (!is_audited()) {
    return;
  }
  std::string members;
  members.reserve(kUsualSize);
  const auto add = [&members](std::string_view key, std::string_view value) {
    members += key;
    append_shown_json_string(members, value);
  };
  add(R"("client":)", client_of(call.message, call.context.client));
  add(R"(,"address":)", call.context.client);
  add(R"(,"principal":)", call.context.principal->name);
  add(R"(,"tool":)", tool.entry->tool->spec().name);
  members += R"(,"asked":)";
  append_ids(members, tool.arguments);
  members += R"(,"answered":)";
  append_ids(members, output);
  add(R"(,"outcome":)", outcome);
  if (reads) {
    audit_later("call", members);
  } else {
    audit("call", members);
  }
}

}  // namespace ws::server

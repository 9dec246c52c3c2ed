// A call of a tool as a line of the audit log.
#include <set>
#include <string>

#include "runtime/base/audit.h"
#include "server/protocol/methods.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostIds = 100;  // As many as a batch may name; more are left out.

/// Ids with one of the prefixes in the strings of a form, each once.
void add_ids(const Json& form, std::set<std::string>& ids) {
  if (form.is_string()) {
    const auto& text = form.get_ref<const std::string&>();
    for (const char* prefix : {"krn_", "prb_", "job_", "evd_"}) {
      if (text.starts_with(prefix) && ids.size() < kMostIds) {
        ids.insert(text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_")));
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

Json ids_of(const Json& form) {
  std::set<std::string> ids;
  if (form.is_object()) {
    add_ids(form, ids);
  }
  return ids;
}

}  // namespace

void McpServer::audit_call(const Call& call, const ToolCall& tool, const Result<Json>& output) {
  if (!is_audited()) {
    return;
  }
  const OrderedJson members = {
      {"client", client_of(call.message, call.context.client)},
      {"address", call.context.client},
      {"principal", call.context.principal->name},
      {"tool", tool.entry->tool->spec().name},
      {"asked", ids_of(*tool.arguments)},
      {"answered", output ? ids_of(*output) : Json::array()},
      {"outcome", output ? std::string_view("ok") : word(output.error().code)}};
  const std::string text = to_line(members);
  audit("call", std::string_view(text).substr(1, text.size() - 2));
}

}  // namespace ws::server

#include "tools/registry.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ws {
namespace {

/// ^[a-z][a-z0-9_]{0,47}$: what every client leaves unchanged.
bool good_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= 48 && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), good);
}

Result<SchemaCheck> compile_part(const ToolSpec& spec, const char* key) {
  const auto schema = spec.json.find(key);
  if (schema == spec.json.end()) {
    return fail(ErrorCode::kInternal, "the tool " + spec.name + " has no " + key);
  }
  auto check = SchemaCheck::compile(*schema);
  if (!check) {
    return fail(ErrorCode::kInternal, spec.name + "'s " + key + " does not compile", {},
                check.error().source);
  }
  return check;
}

}  // namespace

void ToolRegistry::add(std::unique_ptr<Tool> tool) {
  if (Status added = try_add(std::move(tool)); !added && status_) {
    status_ = std::move(added);
  }
}

Status ToolRegistry::try_add(std::unique_ptr<Tool> tool) {
  const ToolSpec& spec = tool->spec();
  if (!good_name(spec.name)) {
    return fail(ErrorCode::kInternal, "\"" + spec.name + "\" is not a tool name");
  }
  if (entries_.contains(spec.name)) {
    return fail(ErrorCode::kInternal, "there are two tools named " + spec.name);
  }
  WS_TRY(SchemaCheck input, compile_part(spec, "inputSchema"));
  WS_TRY(SchemaCheck output, compile_part(spec, "outputSchema"));
  std::string name = spec.name;
  entries_.emplace(std::move(name), Entry{std::move(tool), std::move(input), std::move(output)});
  return {};
}

const ToolRegistry::Entry* ToolRegistry::find(std::string_view name) const {
  const auto entry = entries_.find(name);
  return entry == entries_.end() ? nullptr : &entry->second;
}

std::vector<const ToolRegistry::Entry*> ToolRegistry::list() const {
  std::vector<const Entry*> all;
  for (const auto& [name, entry] : entries_) {
    all.push_back(&entry);
  }
  return all;
}

std::vector<std::string> ToolRegistry::names() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) {
    all.push_back(name);
  }
  return all;
}

}  // namespace ws

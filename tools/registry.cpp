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

/// Whether it says which fields an object has, or the objects in a list.
bool is_described(const Json& schema) {
  const Json& object = schema.contains("items") ? schema["items"] : schema;
  return object.is_object() && object.contains("properties");
}

/// Puts the forms that an earlier tool describes in the place of those that this one only names: a
/// list of tools that repeats them would be long, and a mistake in them is explained all the same.
void describe_forms(Json& schema, const std::vector<const ToolRegistry::Entry*>& earlier) {
  if (!schema.is_object() || !schema.contains("properties")) {
    return;
  }
  for (auto& [name, form] : schema["properties"].items()) {
    for (const ToolRegistry::Entry* entry : earlier) {
      const Json& other = entry->tool->spec().json["inputSchema"];
      const Json::json_pointer place = Json::json_pointer("/properties") / name;
      if (!is_described(form) && other.contains(place) && is_described(other[place]) &&
          other[place].value("type", Json()) == form.value("type", Json())) {
        form.update(other[place]);
      }
    }
  }
}

Result<SchemaCheck> compile_part(const ToolSpec& spec, const char* key,
                                 const std::vector<const ToolRegistry::Entry*>& earlier) {
  const auto written = spec.json.find(key);
  if (written == spec.json.end()) {
    return fail(ErrorCode::kInternal, "the tool " + spec.name + " has no " + key);
  }
  Json schema = *written;
  describe_forms(schema, earlier);
  auto check = SchemaCheck::compile(schema);
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
  WS_TRY(SchemaCheck input, compile_part(spec, "inputSchema", list()));
  WS_TRY(SchemaCheck output, compile_part(spec, "outputSchema", {}));
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
  all.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) {
    all.push_back(&entry);
  }
  return all;
}

std::vector<std::string> ToolRegistry::names() const {
  std::vector<std::string> all;
  all.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) {
    all.push_back(name);
  }
  return all;
}

}  // namespace ws

#include "tools/schema_homes.h"

#include <cstddef>
#include <deque>
#include <string_view>

#include "runtime/base/nearest.h"
#include "tools/schema_explain.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr int kMostRefs = 16;  // References from one schema to the next.

/// The schema of an object's fields: its own, or that of a list's items.
const Json& inner_object(const Json& schema, const Json& root) {
  const Json& whole = resolved(schema, root);
  if (!whole.is_object()) {
    return whole;
  }
  if (const auto shown = whole.find(kShownOnly); shown != whole.end()) {
    return *shown;
  }
  const auto items = whole.find("items");
  return items == whole.end() ? whole : resolved(*items, root);
}

/// An object that a field may belong into.
struct Home {
  const Json* schema;
  std::string path;
};

/// The objects within that are described, each level after the one above.
std::deque<Home> homes_in(const Json& properties, const Json& root, const std::string& within) {
  constexpr std::size_t kMostHomes = 64;
  std::deque<Home> homes;  // its elements stay where they are while it grows
  const auto add = [&](const Json& fields, const std::string& path) {
    for (const auto& field : fields.items()) {
      const Json& inner = inner_object(field.value(), root);
      const Json& whole = resolved(field.value(), root);
      const bool list = whole.is_object() && whole.value("type", Json()) == "array";
      if (inner.is_object() && inner.contains("properties") && homes.size() < kMostHomes) {
        const std::string own = (path.empty() ? "" : path + ".") + field.key();
        homes.push_back({&inner, own + (list ? "[]" : "")});
      }
    }
  };
  add(properties, within);
  for (std::size_t i = 0; i < homes.size(); ++i) {
    const Home& home = homes[i];
    add((*home.schema)["properties"], home.path);
  }
  return homes;
}

}  // namespace

const Json& resolved(const Json& schema, const Json& root) {
  const Json* at = &schema;
  for (int hop = 0; hop < kMostRefs && at->is_object() && at->contains("$ref"); ++hop) {
    const auto& target = (*at)["$ref"].get_ref<const std::string&>();
    const Json::json_pointer pointer(target.starts_with('#') ? target.substr(1) : "");
    at = root.contains(pointer) ? &root.at(pointer) : &schema;
  }
  return *at;
}

bool has_property(const Json& schema, const std::string& name) {
  return schema.is_object() && schema.contains("properties") && schema["properties"].contains(name);
}

std::vector<std::string> names_in(const Json& properties) {
  std::vector<std::string> names;
  for (const auto& property : properties.items()) {
    names.push_back(property.key());
  }
  return names;
}

std::string meant_in(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::string_view kMeant = "did you mean `";
  const std::string hint = suggest(name, known);
  return hint.starts_with(kMeant) ? hint.substr(kMeant.size(), hint.size() - kMeant.size() - 2)
                                  : std::string();
}

std::string home_within(const std::string& name, const Json& properties, const Json& root,
                        const std::string& path) {
  for (const Home& home : homes_in(properties, root, path)) {
    if (has_property(*home.schema, name)) {
      return home.path;
    }
  }
  return {};
}

std::string meant_within(const std::string& name, const Json& properties, const Json& root,
                         const std::string& path) {
  for (const Home& home : homes_in(properties, root, path)) {
    const std::string meant = meant_in(name, names_in((*home.schema)["properties"]));
    if (!meant.empty()) {
      return home.path + "." + meant;
    }
  }
  return {};
}

}  // namespace ws

// Where in a schema a field belongs that stands at a wrong place, or has a wrong name.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ws {

/// The schema, or that which its local `$ref` names in `root`.
const nlohmann::json& resolved(const nlohmann::json& schema, const nlohmann::json& root);

/// Whether the schema of an object describes a field of that name.
bool has_property(const nlohmann::json& schema, const std::string& name);

/// The names of an object's fields.
std::vector<std::string> names_in(const nlohmann::json& properties);

/// The known name that is probably meant; empty where none is near.
std::string meant_in(const std::string& name, const std::vector<std::string>& known);

/// The path of the object among `properties`, or within them, that has the field:
/// "kernel.launches[]". Empty where none has.
///
/// @param path  Of the object that has the properties.
std::string home_within(const std::string& name, const nlohmann::json& properties,
                        const nlohmann::json& root, const std::string& path);

/// The path of the field there that is probably meant: "kernel.source". Empty where none is near.
std::string meant_within(const std::string& name, const nlohmann::json& properties,
                         const nlohmann::json& root, const std::string& path);

}  // namespace ws

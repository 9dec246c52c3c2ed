// Why a value does not meet a schema, in words for an agent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ws {

/// The keyword of a part that a value is not held to: it says only where fields belong.
inline constexpr const char* kShownOnly = "shownOnly";

/// One mistake, and the path of what it is about: "launches[0].grid".
struct SchemaFault {
  std::string path;
  std::string text;
};

/// Walks `value` beside `schema` and describes all that does not meet it:
/// "`launches[0].grid` must be an array, got a string "n"". Empty when it finds nothing. A misspelt
/// field is named with the known one; one that belongs elsewhere with its place.
///
/// Knows the keywords that our schemas use: type, enum, const, properties, required,
/// additionalProperties, patternProperties, items, minimum, maximum, exclusiveMinimum, minLength,
/// maxLength, pattern, minItems, maxItems, minProperties, maxProperties, oneOf, anyOf, allOf and
/// local $ref. A string over 512 bytes never meets a `pattern`. Any thread.
///
/// @param name  What the value is called; empty: it is the arguments of a call.
std::vector<SchemaFault> schema_faults(const nlohmann::json& schema, const nlohmann::json& value,
                                       const std::string& name = {});

/// One mistake as it is, several as a list.
std::string faults_text(const std::vector<SchemaFault>& faults);

/// The same of all that does not meet the schema; nothing when it does.
std::optional<std::string> explain_mismatch(const nlohmann::json& schema,
                                            const nlohmann::json& value);

}  // namespace ws

// Why a value does not meet a schema, in words for an agent.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace ws {

/// Walks `value` beside `schema` and describes the first, deepest mismatch:
/// "`launches[0].grid` must be an array, got a string "n"". Nothing when it finds none.
///
/// Knows the keywords that our schemas use: type, enum, const, properties, required,
/// additionalProperties, patternProperties, items, minimum, maximum, exclusiveMinimum, minLength,
/// maxLength, pattern, minItems, maxItems, minProperties, maxProperties, oneOf, anyOf, allOf and
/// local $ref. A string over 512 bytes never meets a `pattern`. Any thread.
std::optional<std::string> explain_mismatch(const nlohmann::json& schema,
                                            const nlohmann::json& value);

}  // namespace ws

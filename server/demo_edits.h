// What turns one kernel form into another, as compile_kernel's `edits` and `set` take it.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace ws {

/// The fewest line edits of region `source` that make `after` of `before`, each with `old`.
/// Both texts end with a newline, as an edited text keeps the end of its base.
nlohmann::json line_edits(std::string_view before, std::string_view after);

/// The plan fields (and the name) of `after` that `before` has otherwise or not at all, and null
/// for those that only `before` has.
nlohmann::json plan_changes(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace ws

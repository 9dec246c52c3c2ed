// The changes that turn one kernel form into another, as compile_kernel's `edits` and `set` take
// them.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace ws {

/// The fewest line edits of a region, `source` or `macros`, that make `after` of `before`, each
/// with `old`. An edited text keeps the end of its base, with a newline or without: so must these.
/// In texts with more than 4'000'000 pairs of lines they may be more, or larger: memory and time
/// are bounded by parting such texts at lines that both have once, and a part without any is one
/// edit.
nlohmann::json line_edits(std::string_view before, std::string_view after,
                          std::string_view region = "source");

/// The plan fields (and the name) of `after` that `before` has otherwise or not at all, and null
/// for those that only `before` has.
nlohmann::json plan_changes(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace ws

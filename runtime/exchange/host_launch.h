// `kernel<T><<<grid, block, shared, stream>>>(a, b)` as a launch of a plan.
#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/exchange/host_values.h"

namespace ws {

/// The place of the first `<` of `<<<`; nothing: the tokens launch nothing.
std::optional<std::size_t> launch_place(Tokens tokens);

/// The launch's form. @param place  As launch_place() gives it.
/// @errors kUnsupported: an argument or an extent that a plan cannot have.
Result<nlohmann::json> read_launch(Tokens statement, std::size_t place, HostScope& scope,
                                   const Problem& problem);

}  // namespace ws

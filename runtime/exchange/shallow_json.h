// JSON of unknown authors.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"

namespace ws {

/// A value, discarded where the text is no JSON. Deeper values than 100 would be written by so
/// many calls inside each other that the program ends. @errors kInvalidArgument: it is deeper.
Result<nlohmann::json> parse_shallow(std::string_view text);

}  // namespace ws

// Says which known word a misspelt one probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ws {

/// The hint of an "unknown ..." error: "did you mean `launches`?" when one of `known` is near
/// (about a third of the letters may differ), else "known: a, b, c" (at most twelve, then how many
/// more), or nothing when `known` is empty.
std::string suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace ws

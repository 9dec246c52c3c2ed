// Says which known word a misspelt one probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ws {

/// The hint of an "unknown ..." error: "did you mean `launches`?" when one of `known` is near
/// (about a third of the letters may differ) or is what clients mean by that word, else "known: a,
/// b, c", those first that share a word with it. Of more than forty it gives the nearest. Nothing
/// when `known` is empty.
std::string suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace ws

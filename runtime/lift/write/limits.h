// How large the tiles are that are looked at.
#pragma once

#include <cstddef>

namespace ws::lift {

/// Most elements of a tile, or operands of its elements.
inline constexpr std::size_t kMaxTileElements = std::size_t{1} << 22U;

}  // namespace ws::lift

// Kernels of cuTile.jl as a tree. Host code in the same file is skipped.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "runtime/lift/tile/lift_tile.h"
#include "runtime/lift/tile/tree.h"

namespace ws::lift::tile {

/// The file, or what is wrong with it. A mistake in a function that no kernel calls is none: its
/// body says so when it is lifted.
std::variant<File, std::vector<Complaint>> read_julia(std::string_view source);

}  // namespace ws::lift::tile

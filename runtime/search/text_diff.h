// The lines that turn one text into another, as a unified diff.
#pragma once

#include <string>
#include <string_view>

namespace ws {

struct TextDiff {
  std::string text;         ///< Hunks with two lines around each change; empty: equal.
  std::size_t added = 0;    ///< Lines.
  std::size_t removed = 0;  ///< Lines.
};

/// Of texts whose differing middle has up to 4,000 lines the shortest one; of longer ones the whole
/// middle is removed and added.
TextDiff unified_diff(std::string_view from, std::string_view to);

}  // namespace ws

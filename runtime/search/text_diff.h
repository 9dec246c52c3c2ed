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

/// The shortest one, unless the differing middles have more than 4,000,000 pairs of lines: such
/// texts are parted at lines that both have once, and a part without any is removed and added.
TextDiff unified_diff(std::string_view from, std::string_view to);

}  // namespace ws

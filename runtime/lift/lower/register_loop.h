// A loop over the registers of a tile, as C.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/lift/lift.h"
#include "runtime/lift/lower/digits_text.h"

namespace ws::lift {

/// For `float acc[4][8]`: "acc[e][f]" by the counters e and f.
struct RegisterLoop {
  const RegisterTile& tile;
  std::vector<Counter> counters;   ///< One for each dimension of the array, the outermost first.
  std::vector<std::string> sizes;  ///< Their ends, as C.
  std::string element;             ///< The array's element by the counters.
  std::string row;                 ///< Names for the element's place in the tile.
  std::string col;
};

/// Whether a text has a word, and not only as a part of another one.
bool has_word(const std::string& text, const std::string& word);

/// Gives each element of the array a value; the place in the tile is computed where the value reads
/// it. The first line is not indented, as the statement beside it is already.
/// @errors kUnsupported: no sum of digits of the counters and the thread's number gives the place.
Result<std::string> loop_text(const RegisterLoop& loop, const std::string& value,
                              std::size_t indent);

}  // namespace ws::lift

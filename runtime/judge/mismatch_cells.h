// A small picture of an output's mismatches for people: where they are, and how large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/judge/compare.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// Closed ranges of rows and columns.
struct Box {
  std::int64_t first_row;
  std::int64_t last_row;
  std::int64_t first_column;
  std::int64_t last_column;

  [[nodiscard]] std::int64_t area() const {
    return (last_row - first_row + 1) * (last_column - first_column + 1);
  }
};

inline constexpr std::int64_t kMostCells = 64;    ///< In each direction.
inline constexpr std::size_t kMostOutlines = 32;  ///< Boxes.

/// An output as rows of its last dimension, in cells of one or more elements.
struct MismatchCells {
  std::vector<std::int64_t> shape;  ///< Extents, outermost first.
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  /// A text for each line of cells, with a digit for each cell: '0', nothing is wrong there; '1' to
  /// '8', the size of its largest error, where '8' reaches up to `largest`, each other one up to a
  /// quarter of the next one, and '1' down to nothing; '9', an error without a size: never written,
  /// or no number.
  std::vector<std::string> levels;
  double largest = 0;  ///< The largest error that has a size; 0: none has.
  /// The rows, the columns or the block that nearly all mismatches lie in, where most elements are
  /// wrong; empty: there is no such place, or it is the whole output.
  std::vector<Box> outline;
};

/// @param spec  Layout of both buffers. @param result  compare() of the two, with at least one
/// mismatch.
/// @threads any; passes over the mismatch bits, and reads some 256 values for each cell and one
/// million more.
MismatchCells mismatch_cells(const BufferSpec& spec, std::span<const std::byte> got,
                             std::span<const std::byte> want, const Comparison& result);

}  // namespace ws

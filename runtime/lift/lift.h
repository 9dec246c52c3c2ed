// Lifts one launch of a kernel to CuIR.
#pragma once

#include <string>
#include <vector>

#include "runtime/lift/input.h"

namespace ws::lift {

/// Lines of the source that were not understood.
struct NotLifted {
  Range range;
  std::string why;
};

/// Statements of the source that the program has no form for: a method of it that does nothing yet.
struct Hole {
  std::string id;  ///< The method: "hole_1".
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  Range range;
  std::string why;  ///< The reason.
};

/// An integer of the kernel, and what it is in the program.
struct IndexText {
  std::string c;   ///< "row"
  std::string ir;  ///< "arange(32)[:, None] + blockIdx.x * 32"
};

/// An array of each thread's registers that the program has as a tile.
struct RegisterTile {
  std::string name;  ///< In the program, and in the kernel.
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// By element of the array, the last dimension fastest, and thread: row * cols + column.
  std::vector<std::vector<std::int64_t>> places;
};

struct Program {
  std::string ir;  ///< Empty: nothing was lifted.
  std::vector<Hole> holes;
  std::vector<NotLifted> not_lifted;
  std::vector<IndexText> indices;       ///< At LaunchInput::probe.
  std::vector<RegisterTile> registers;  ///< Sums of products.

  [[nodiscard]] bool whole() const { return !ir.empty() && holes.empty() && not_lifted.empty(); }
};

/// Lifts what all threads of a block compute, or says which statement prevents it. Runs the block
/// twice (block.h): to learn layouts, and to write.
///
/// @param name  Of the program's class.
/// @errors kCancelled, kInternal: what cannot be lifted, or not in time, is a result.
Result<Program> lift_values(const Tree& tree, const LaunchInput& input, Symbols& symbols,
                            const std::string& name);

/// A class name from a kernel's name: "row_softmax" is "RowSoftmax".
std::string class_name(const std::string& kernel);

}  // namespace ws::lift

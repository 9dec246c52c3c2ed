// Statements of a warpgroup's role that compute on tiles in registers, as values of CuIR: what
// threads do with the fragments of products, between one synchronisation and the next.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/lift/input.h"

namespace ws::lift {

inline constexpr std::int64_t kProductRows = 64;  ///< Of a warpgroup's product.

/// A variable that stands around the statements.
struct PartVariable {
  enum class Kind : std::uint8_t {
    kSums,      ///< Sums of wgmma: float[cols / 2], or several of them behind one another.
    kOperands,  ///< Left operands: 32-bit registers with two halves each, [cols / 16][4].
    kRows,      ///< float[2]: one number a row, the same in the four threads of the row.
    kInteger,   ///< By its name, unless what it was declared with can be computed.
  };
  VariableId id = kNone;
  Kind kind = Kind::kInteger;
  std::string name;          ///< In CuIR.
  std::int64_t cols = 0;     ///< kSums, kOperands: of the tile of 64 rows.
  std::int64_t block = 0;    ///< kSums: columns of one product.
  DType type = DType::kF16;  ///< kOperands.
  NodeId initial = kNone;    ///< kInteger: what it was declared with; kNone: it changes.
  bool known = false;        ///< It has a value before the statements, by its name.
  bool written = false;      ///< They give it one.
};

/// What one line of the program does.
struct PartLine {
  std::string text;
  Range range;
};

/// @param warpgroup  How the program names the warpgroup's number.
/// @errors kUnsupported: what is not understood; the statements stay a hole.
Result<std::vector<PartLine>> lift_part(const Tree& tree, const LaunchInput& input,
                                        Symbols& symbols, const std::vector<NodeId>& statements,
                                        const std::vector<PartVariable>& variables,
                                        const std::set<std::string>& taken);

}  // namespace ws::lift

// Statements that compute on tiles in registers or copy tiles by threads, as values and copies of
// CuIR: what the threads of a warpgroup, or of the block, do between one synchronisation and the
// next.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/lift/input.h"
#include "runtime/lift/orchestration/places.h"
#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

inline constexpr std::int64_t kProductRows = 64;  ///< The rows of a warpgroup's product.

/// A variable that stands around the statements.
struct PartVariable {
  enum class Kind : std::uint8_t {
    kSums,      ///< Sums of products: float[cols / 2], or several of them in a row.
    kOperands,  ///< Left operands of wgmma: registers with two halves each, [cols / 16][4].
    kRows,      ///< float[n]: n rows of each thread, the same in the threads that share a row.
    kInteger,   ///< By its name, unless what it was declared with can be computed.
  };
  VariableId id = kNone;
  Kind kind = Kind::kInteger;
  std::string name;          ///< In CuIR.
  std::int64_t cols = 0;     ///< kSums, kOperands of wgmma: of the tile of 64 rows.
  std::int64_t block = 0;    ///< kSums of wgmma: columns of one product.
  DType type = DType::kF16;  ///< kOperands.
  NodeId initial = kNone;    ///< kInteger: what it was declared with; kNone: it changes.
  bool known = false;        ///< It has a value before the statements, by its name.
  std::optional<Poly> value = std::nullopt;  ///< kInteger: that of each thread.
  Layout layout;  ///< Used for a block's kSums and kRows; when it has no places, the statements
                  ///< show it.
};

/// The statements that are to be lifted, and what is known around them.
struct Part {
  std::vector<NodeId> statements;
  std::vector<PartVariable> variables;
  std::set<std::string> taken;  ///< Names that the program has.
  bool block = false;           ///< By all threads of the block; else by a warpgroup.
  Range range;  ///< The lines of the statements; copies and products are tied to them.
};

/// One line of the program, and what it does.
struct PartLine {
  std::string text;
  Range range;
};

struct LiftedPart {
  std::vector<PartLine> lines;
  /// Rows and columns by places in the arrays' tiles, where the statements fill them: "self.As".
  std::map<std::string, Logical> orders;
  std::set<std::string> stored;  ///< Arrays that plain instructions fill, row by row.
};

/// @param arrays  In shared memory.
/// @param shown   Gets the layouts of kSums that products show, by name, also where the rest is not
///                understood.
/// @errors kUnsupported: what is not understood; the statements stay a hole.
Result<LiftedPart> lift_part(const Tree& tree, const LaunchInput& input, Symbols& symbols,
                             const SharedArrays& arrays, Part part,
                             std::map<std::string, Layout>& shown);

/// Where each register of each thread of a warpgroup lies in a tile. @param variable  Not kInteger.
Layout warpgroup_layout(const PartVariable& variable);

/// Where the sums of products lie, by rows of the left and columns of the right operand; nothing
/// where they are no tile. @param layouts  Of variables that operands are made of.
std::optional<Layout> layout_of_products(const std::vector<Leaf>& sums, const Terms& terms,
                                         const std::vector<Object>& objects,
                                         const std::map<ObjectId, Layout>& layouts);

}  // namespace ws::lift

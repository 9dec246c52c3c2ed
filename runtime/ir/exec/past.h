// The uses of a tensor's parts in blocks that have ended. Blocks run one after the other here and
// in any order on a GPU: uses of the same part conflict, unless they commute.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "runtime/ir/exec/shadow.h"

namespace ws::ir {

/// A use of global memory by a block that is through.
struct PastAccess {
  Access access;
  std::int64_t block = 0;
};

/// The past of one tensor. Uses that commute with each other form a layer; in each, the first use
/// of an element stands for all later ones, so that the work grows with the rows that an access
/// touches and with the logarithm of what is there, not with the number of blocks.
class Past {
 public:
  /// The first use that `access` conflicts with, or null; `shape` is the tensor's. It lives until
  /// the next add().
  [[nodiscard]] const PastAccess* conflict(const Access& access, const Shape& shape) const;

  void add(PastAccess used, const Shape& shape);

 private:
  struct Range {
    std::int64_t end = 0;  ///< After the last element.
    std::size_t who = 0;   ///< Into uses_.
  };

  struct Layer {
    Access kind;                              ///< The kind of these uses.
    std::map<std::int64_t, Range> taken;      ///< By the first element; they do not overlap.
    std::set<std::pair<Shape, Shape>> boxes;  ///< The boxes that were added already.
  };

  static void fill(Layer& layer, std::int64_t first, std::int64_t end, std::size_t who);

  std::deque<PastAccess> uses_;
  std::vector<Layer> layers_;
};

}  // namespace ws::ir

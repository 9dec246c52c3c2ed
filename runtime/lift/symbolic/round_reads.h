// Variables that every round of a loop writes before it reads them: no round needs what another one
// has left in them.
#pragma once

#include <set>

#include "runtime/lift/symbolic/objects.h"

namespace ws::lift {

/// Remembers the variables that were read while they held what they had when a round began. For one
/// thread.
class RoundReads {
 public:
  /// @param terms  Outlives this.
  explicit RoundReads(const Terms& terms)
      : terms_(terms) {}

  /// A variable is read that holds `leaf`.
  void note(ObjectId variable, const Leaf& leaf);

  [[nodiscard]] bool contains(ObjectId variable) const { return read_.contains(variable); }

  /// A round within another one begins: nothing is read. @return  What was read before, for
  /// merge().
  std::set<ObjectId> begin();

  void merge(std::set<ObjectId> before) { read_.merge(before); }

 private:
  const Terms& terms_;
  std::set<ObjectId> read_;
};

}  // namespace ws::lift

// Tiles of global memory that threads copy to shared memory: they stay buffers of the program.
#pragma once

#include <map>
#include <tuple>

#include "runtime/lift/symbolic/object_table.h"
#include "runtime/lift/symbolic/reports.h"

namespace ws::lift {

/// Makes buffers of such tiles. Everything else that goes through shared memory is how threads
/// exchange values. For one thread.
class Staging {
 public:
  /// All of them outlive this.
  Staging(const Basis& basis, ObjectTable& objects, Reports& reports)
      : tree_(basis.tree),
        input_(basis.input),
        terms_(basis.terms),
        objects_(objects),
        reports_(reports) {}

  /// Reports the tiles that stores to an array copy, of each tensor one. Their elements are read
  /// from there from now on. @errors as Sink::stage()
  Status stage(const StoreGroup& group);

  /// Whether it is an element of a buffer.
  [[nodiscard]] bool holds(const Cell& cell) const;

 private:
  Status stage_tile(ObjectId shared, ObjectId source, StoreGroup part);
  void read_from(const Object& tile, ObjectId id, ObjectId shared, const StoreEvent& event);
  [[nodiscard]] Object tile_of(ObjectId shared, ObjectId source) const;

  const Tree& tree_;
  const LaunchInput& input_;
  Terms& terms_;
  ObjectTable& objects_;
  Reports& reports_;
  /// By array, tensor and first element.
  std::map<std::tuple<ObjectId, ObjectId, std::int64_t>, ObjectId> tiles_;
};

}  // namespace ws::lift

// Stores to global and shared memory, and copies from one to the other.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/lift/symbolic/copies.h"
#include "runtime/lift/write/named_values.h"
#include "runtime/lift/write/program_variables.h"
#include "runtime/lift/write/tile_source.h"

namespace ws::lift {

class TileStores : private WritingPart {
 public:
  /// All outlive this.
  TileStores(Writing& on, ProgramVariables& variables, NamedValues& names, TileSource& source)
      : WritingPart(on),
        variables_(variables),
        names_(names),
        source_(source) {}

  /// Writes a group of stores; several statements where it is not one tile.
  /// @errors kUnsupported: CuIR has no statement that stores this.
  Status store(const StoreGroup& group);

  /// Sink::stage()
  Result<std::optional<Logical>> stage(const StoreGroup& group);

  /// Copies of tiles that a part's threads make. @return How they lie in each array, by its name.
  /// @errors kUnsupported: they are no tiles.
  Result<std::map<std::string, Logical>> copies(const std::vector<CopyEvent>& events,
                                                const Range& range);

  /// Arrays in shared memory that stores fill, by name: "self.sC".
  [[nodiscard]] const std::set<std::string>& stored() const { return stored_; }

  /// The statements of __init__ that allocate what stage() fills.
  [[nodiscard]] const std::vector<ir::StmtId>& allocations() const { return allocations_; }

 private:
  Status store_tensor(const StoreGroup& group);
  Status store_array(const StoreGroup& group);
  Status store_tile(const StoreGroup& group, const Tile& tile, const Spot& spot,
                    const Range& range);
  Status scatter(const StoreGroup& group, const Tile& tile, const TileExpr& value,
                 const Range& range);
  ir::ExprId shape_of(const Spot& spot, const Tile& tile);
  [[nodiscard]] bool reads(TermId value, ObjectId id, std::set<TermId>& seen) const;
  [[nodiscard]] bool is_separable(const StoreGroup& group) const;

  ProgramVariables& variables_;
  NamedValues& names_;
  TileSource& source_;
  std::vector<ir::StmtId> allocations_;
  std::set<std::string> stored_;
};

/// All lines of its stores.
Range range_of(const StoreGroup& group);

}  // namespace ws::lift

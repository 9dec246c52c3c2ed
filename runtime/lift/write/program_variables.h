// The kernel's variables and shared arrays as the program has them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runtime/lift/write/writing.h"

namespace ws::lift {

class ProgramVariables : private WritingPart {
 public:
  explicit ProgramVariables(Writing& on)
      : WritingPart(on) {}

  /// A variable that stands around what is written.
  void know(ObjectId id, const std::string& name);

  /// The variable's name; one that nothing else has.
  ir::ExprId name_of(ObjectId id);

  /// The variable holds its value of this version from here on.
  void set_version(ObjectId id, int version) { versions_[id] = version; }

  /// The part of a variable that a tile of its places is.
  /// @param tile  Points of TermKind::kCarried, of one variable.
  /// @errors kUnsupported: it has another value now, or the places are no part of it.
  Result<TileExpr> carried(const Tile& tile);

  using Size = std::pair<std::int64_t, std::int64_t>;

  /// The rows and columns of the tile that fills an object in shared memory. Nothing: none was
  /// written yet.
  [[nodiscard]] std::optional<Size> shared_size(ObjectId id) const;

  void set_shared_size(ObjectId id, Size size) { shared_[id] = size; }

 private:
  std::map<ObjectId, ir::ExprId> names_;
  std::map<ObjectId, int> versions_;
  std::map<ObjectId, Size> shared_;
};

}  // namespace ws::lift

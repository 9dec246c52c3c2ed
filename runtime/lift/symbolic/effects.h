// The variables that an expression changes, without running it.
#pragma once

#include <map>

#include "runtime/lift/symbolic/object_table.h"

namespace ws::lift {

/// An expression changes nothing, variables by their names, or more than that.
enum class Changes : std::uint8_t { kNothing, kVariables, kMore };

/// Looks at expressions with the variables that there are now. For one thread.
class Effects {
 public:
  /// Both outlive this.
  Effects(const Tree& tree, ObjectTable& objects)
      : tree_(tree),
        objects_(objects) {}

  /// @param id  kNone: nothing is done.
  [[nodiscard]] Changes changes_of(NodeId id) const;

  /// The variables that expressions assign by name, as they were before.
  using Saved = std::map<ObjectId, Object>;

  void save(NodeId id, Saved& saved) const;
  void restore(Saved saved) const;

 private:
  [[nodiscard]] ObjectId root_of(NodeId place) const;

  const Tree& tree_;
  ObjectTable& objects_;
};

}  // namespace ws::lift

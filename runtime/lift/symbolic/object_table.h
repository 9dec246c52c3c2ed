// Everything in memory that a run knows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/lift/symbolic/basis.h"
#include "runtime/lift/symbolic/control.h"

namespace ws::lift {

/// Tensors, arrays in shared memory and variables of the threads, by numbers. Declaring moves the
/// objects: references to them last until then. For one thread.
class ObjectTable {
 public:
  /// All of them outlive this.
  ObjectTable(const Basis& basis, const Guards& guards, Control& control)
      : tree_(basis.tree),
        input_(basis.input),
        mode_(basis.mode),
        scalars_(basis.scalars),
        guards_(guards),
        control_(control) {}

  /// The tensors of the launch, by their own numbers, and the arrays in shared memory. Around a
  /// part these are the program's, where it has them.
  void declare_globals();

  /// A variable of the function that was entered last.
  ObjectId declare(VariableId variable, Value value);

  ObjectId add(Object made);

  /// kNone: no function that is entered has it.
  [[nodiscard]] ObjectId find(VariableId variable) const;

  /// A field of a struct that is laid over shared memory: an array of its own, as the program
  /// around a part has it.
  /// @param whole  Where the struct lies.
  /// @errors kUnsupported: the program has no such array.
  Result<ValuePlace> field_array(const ValuePlace& whole, const Type& type, const Field& field);

  Object& at(ObjectId id) { return objects_[static_cast<std::size_t>(id)]; }

  [[nodiscard]] const Object& at(ObjectId id) const {
    return objects_[static_cast<std::size_t>(id)];
  }

  [[nodiscard]] const std::vector<Object>& all() const { return objects_; }

  [[nodiscard]] std::size_t size() const { return objects_.size(); }

  /// @return  Those before. @param objects  As many as there were at some time, with the same
  /// kinds.
  std::vector<Object> exchange(std::vector<Object> objects);

  /// Drops all but the first `size` objects, and the variables that they are.
  void truncate(std::size_t size);

 private:
  void name_arrays();

  const Tree& tree_;
  const LaunchInput& input_;
  const RunMode& mode_;
  const Scalars& scalars_;
  const Guards& guards_;
  Control& control_;
  std::vector<Object> objects_;
  std::map<VariableId, ObjectId> shared_;
  std::map<std::string, ObjectId> fields_;  // By the names of those that were used.
};

}  // namespace ws::lift

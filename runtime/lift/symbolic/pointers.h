// Places in memory, pointers that are moved, and addresses in shared memory that are numbers.
//
// An address stays a pointer through sums and `^`. Its quotients, remainders and bits are those of
// its place in the array: shared memory is taken to begin at a multiple of what is asked for, as
// swizzles need it.
#pragma once

#include "runtime/lift/symbolic/object_table.h"
#include "runtime/lift/symbolic/runner.h"

namespace ws::lift {

/// Follows and moves pointers. For one thread.
/// @errors kUnsupported: a place or a number is not known.
class Pointers {
 public:
  /// All of them outlive this.
  Pointers(const Basis& basis, Runner& runner, ObjectTable& objects)
      : tree_(basis.tree),
        mode_(basis.mode),
        terms_(basis.terms),
        numbers_(basis.numbers),
        scalars_(basis.scalars),
        runner_(runner),
        objects_(objects) {}

  /// Where an expression's value lives.
  Result<ValuePlace> place(NodeId id);

  /// A pointer and a number.
  /// @param type           Of the result. @param pointer_first  Whether it is the left operand.
  Result<Leaf> moved(COperator op, const Leaf& pointer, TermId number, TypeId type,
                     bool pointer_first);

 private:
  Result<Leaf> address_bits(COperator op, const Leaf& pointer, TermId number, TypeId type);

  const Tree& tree_;
  const RunMode& mode_;
  Terms& terms_;
  Arithmetic& numbers_;
  Scalars& scalars_;
  Runner& runner_;
  ObjectTable& objects_;
};

}  // namespace ws::lift

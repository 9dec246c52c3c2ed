// How parts of a run that the kernel's statements go through ask for the statements within them.
#pragma once

#include "runtime/lift/symbolic/objects.h"

namespace ws::lift {

/// A value that is one number.
inline Value one_number(TypeId type, TermId term) {
  return {type, {{term, kNone, {}}}};
}

/// Runs statements and evaluates expressions of the kernel by the active threads. For one thread.
/// @errors kUnsupported: they are not understood; kCancelled, kTimeout.
class Runner {
 public:
  virtual ~Runner() = default;

  virtual Status statement(NodeId id) = 0;
  virtual Result<Value> evaluate(NodeId id) = 0;
  /// Where an expression's value lives.
  virtual Result<ValuePlace> place(NodeId id) = 0;

  /// The value of an expression that is one number or pointer.
  Result<Leaf> scalar(NodeId id);
  /// The same of a number.
  Result<TermId> term_of(NodeId id);
};

}  // namespace ws::lift

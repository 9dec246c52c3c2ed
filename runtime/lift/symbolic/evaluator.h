// Expressions of a symbolic run.
#pragma once

#include <vector>

#include "runtime/lift/symbolic/calls.h"
#include "runtime/lift/symbolic/pointers.h"

namespace ws::lift {

/// Evaluates expressions by the active threads. For one thread.
/// @errors kUnsupported: an operation is not understood; kCancelled, kTimeout.
class Evaluator {
 public:
  /// All of them outlive this.
  Evaluator(const Basis& basis, Runner& runner, Steps& steps, Guards& guards, ObjectTable& objects,
            Memory& memory, Pointers& pointers, Calls& calls)
      : tree_(basis.tree),
        input_(basis.input),
        mode_(basis.mode),
        terms_(basis.terms),
        symbols_(basis.symbols),
        numbers_(basis.numbers),
        scalars_(basis.scalars),
        runner_(runner),
        steps_(steps),
        guards_(guards),
        objects_(objects),
        memory_(memory),
        pointers_(pointers),
        calls_(calls) {}

  Result<Value> evaluate(NodeId id);

  /// The scalars of a value of `type` that is initialised by an expression or a list.
  Status fill(TypeId type, NodeId id, std::vector<Leaf>& leaves);

 private:
  // evaluator.cpp
  Result<Value> builtin(const Node& node);
  Result<Value> cast(const Node& node);
  Result<Value> select(const Node& node);
  Result<Value> list(const Node& node);

  // evaluator_operators.cpp
  Result<Value> unary(const Node& node);
  Result<Value> binary(const Node& node);
  Result<Value> logical(const Node& node);
  Result<Value> assign(const Node& node);
  Result<Value> increment(const Node& node);

  const Tree& tree_;
  const LaunchInput& input_;
  const RunMode& mode_;
  Terms& terms_;
  Symbols& symbols_;
  Arithmetic& numbers_;
  Scalars& scalars_;
  Runner& runner_;
  Steps& steps_;
  Guards& guards_;
  const ObjectTable& objects_;
  Memory& memory_;
  Pointers& pointers_;
  Calls& calls_;
};

}  // namespace ws::lift

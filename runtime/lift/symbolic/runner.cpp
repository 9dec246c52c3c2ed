#include "runtime/lift/symbolic/runner.h"

#include <utility>

namespace ws::lift {

Result<Leaf> Runner::scalar(NodeId id) {
  WS_TRY(Value value, evaluate(id));
  if (value.leaves.size() != 1) {
    return fail(ErrorCode::kUnsupported, "a number is expected where the kernel has a struct");
  }
  if (value.leaves.front().term == kNone && value.leaves.front().object == kNone) {
    return fail(ErrorCode::kUnsupported, "a value is used that is not known");
  }
  return std::move(value.leaves.front());
}

Result<TermId> Runner::term_of(NodeId id) {
  WS_TRY(const Leaf leaf, scalar(id));
  if (leaf.term == kNone) {
    return fail(ErrorCode::kUnsupported, "a pointer is used as a number");
  }
  return leaf.term;
}

}  // namespace ws::lift

#include "runtime/lift/symbolic/round_reads.h"

#include <algorithm>
#include <utility>

namespace ws::lift {

void RoundReads::note(ObjectId variable, const Leaf& leaf) {
  if (leaf.term == kNone) {
    return;
  }
  const auto is_carried = [&](TermId of) {
    const TermId term = terms_.resolve({of, 0}).term;
    return term != kNone && terms_.at(term).kind == TermKind::kCarried &&
           terms_.at(term).object == variable;
  };
  const Term& term = terms_.at(leaf.term);
  const bool parts = term.op == OwnOp::kBits && std::ranges::any_of(term.args, is_carried);
  if (parts || is_carried(leaf.term)) {
    read_.insert(variable);
  }
}

std::set<ObjectId> RoundReads::begin() {
  return std::exchange(read_, {});
}

}  // namespace ws::lift

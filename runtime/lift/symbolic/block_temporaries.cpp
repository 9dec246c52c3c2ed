// Variables that every round of a loop writes before it reads them: no round needs what another one
// has left in them.
#include <algorithm>

#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

/// Remembers that a variable was read while it held what it had when the round began.
void Block::note_read(ObjectId id, const Leaf& leaf) {
  if (!knows_warps_ || leaf.term == kNone) {
    return;
  }
  const auto is_carried = [&](TermId of) {
    const TermId term = terms_.resolve({of, 0}).term;
    return term != kNone && terms_.at(term).kind == TermKind::kCarried &&
           terms_.at(term).object == id;
  };
  const Term& term = terms_.at(leaf.term);
  const bool parts = term.op == OwnOp::kBits && std::ranges::any_of(term.args, is_carried);
  if (parts || is_carried(leaf.term)) {
    round_reads_.insert(id);
  }
}

void Block::mark_temporaries(std::vector<Change>& changes) const {
  for (Change& change : changes) {
    change.temporary = knows_warps_ && !change.induction && !round_reads_.contains(change.object);
  }
}

}  // namespace ws::lift

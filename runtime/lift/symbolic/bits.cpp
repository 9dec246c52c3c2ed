#include "runtime/lift/symbolic/bits.h"

#include <algorithm>
#include <cmath>

namespace ws::lift {

std::size_t count_slots(const Object& variable) {
  std::size_t count = variable.slots.empty() ? variable.leaves.size() : 0;
  for (const Slot& slot : variable.slots) {
    count += slot.parts;
  }
  return count;
}

Slot slot_of(const Terms& terms, const Leaf& leaf) {
  if (leaf.term == kNone || terms.at(leaf.term).op != OwnOp::kBits) {
    const bool real = leaf.term != kNone && is_float(terms.at(leaf.term).type);
    return {1, real ? std::optional(terms.at(leaf.term).type) : std::nullopt};
  }
  const Term& term = terms.at(leaf.term);
  const DType type = terms.at(term.args.front()).type;
  const bool alike =
      std::ranges::all_of(term.args, [&](TermId part) { return terms.at(part).type == type; });
  return alike ? Slot{term.args.size(), type} : Slot{};
}

Result<Leaf> as_real(Terms& terms, const Leaf& leaf, DType type, const std::string& name) {
  if (leaf.term == kNone || !is_float(type)) {
    return leaf;
  }
  const Term& term = terms.at(leaf.term);
  const bool other =
      is_float(term.type) && term.type != type && size_of(term.type) == size_of(type);
  const bool cleared = term.kind == TermKind::kInteger && term.poly.number() == 0;
  if (other || (term.kind == TermKind::kInteger && !cleared)) {
    return fail(ErrorCode::kUnsupported, "bits of `" + name + "` are read as a float");
  }
  if (!cleared) {
    return leaf;
  }
  return Leaf{terms.number(0, type), kNone, {}};
}

Result<std::vector<TermId>> bit_parts(Terms& terms, TermId number, std::size_t parts, DType type) {
  const Term term = terms.at(number);
  const bool zero =
      (term.kind == TermKind::kNumber && term.number == 0 && !std::signbit(term.number)) ||
      (term.kind == TermKind::kInteger && term.poly.number() == 0);
  if (zero) {
    return std::vector<TermId>(
        parts, is_float(type) ? terms.number(0, type) : terms.integer(Poly(0), type));
  }
  const bool same =
      term.op == OwnOp::kBits && term.args.size() == parts &&
      std::ranges::all_of(term.args, [&](TermId part) { return terms.at(part).type == type; });
  if (!same) {
    return fail(ErrorCode::kUnsupported, "a number of " + std::to_string(size_of(term.type)) +
                                             " bytes is written over " + std::to_string(parts) +
                                             " of " + std::to_string(size_of(type)));
  }
  return term.args;
}

}  // namespace ws::lift

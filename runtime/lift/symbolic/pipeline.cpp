#include "runtime/lift/symbolic/pipeline.h"

#include <algorithm>

namespace ws::lift {

std::optional<Poly> Shift::poly(const Poly& first, const Poly& second) const {
  const std::optional<Poly> step = second.plus(first, -1).exact_quotient(period_);
  return step ? std::optional(first.plus(step->times(rounds_))) : std::nullopt;
}

std::optional<Leaf> Shift::leaf(const Leaf& first, const Leaf& second) {
  if (first == second) {
    return first;
  }
  if (first.object != kNone) {
    const bool same = first.object == second.object && first.where == second.where;
    const std::optional<Poly> offset = same ? poly(first.offset, second.offset) : std::nullopt;
    return offset ? std::optional(Leaf{kNone, first.object, *offset, first.where}) : std::nullopt;
  }
  const TermId made = second.object == kNone ? term(first.term, second.term) : kNone;
  return made == kNone ? std::nullopt : std::optional(Leaf{made, kNone, {}});
}

std::optional<AsyncCopy> Shift::copy(const AsyncCopy& first, const AsyncCopy& second) {
  const std::optional<Poly> to = poly(first.first, second.first);
  if (first.target != second.target || !to || first.active != second.active ||
      first.values.size() != second.values.size()) {
    return std::nullopt;
  }
  AsyncCopy made = first;
  made.first = *to;
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    made.values[i] = term(first.values[i], second.values[i]);
    if (made.values[i] == kNone) {
      return std::nullopt;
    }
  }
  return made;
}

TermId Shift::term(TermId first, TermId second) {
  if (first == second || first == kNone || second == kNone) {
    return first == second ? first : kNone;
  }
  const auto [entry, fresh] = known_.try_emplace({first, second}, kNone);
  if (fresh) {
    const TermId made = compute(first, second);
    known_[{first, second}] = made;
    return made;
  }
  return entry->second;
}

TermId Shift::compute(TermId first, TermId second) {
  Term made = terms_.at(first);
  const Term& other = terms_.at(second);
  const bool alike = made.kind == other.kind && made.type == other.type && made.op == other.op &&
                     made.name == other.name && made.object == other.object &&
                     made.version == other.version && made.slot == other.slot &&
                     made.number == other.number && made.args.size() == other.args.size() &&
                     made.masks.size() == other.masks.size() &&
                     made.sources.size() == other.sources.size() && made.known == other.known &&
                     made.truth == other.truth;
  const std::optional<Poly> index = alike ? poly(made.poly, other.poly) : std::nullopt;
  if (!index || made.kind == TermKind::kCarried) {
    return kNone;
  }
  made.poly = *index;
  for (std::vector<TermId> Term::* list : {&Term::args, &Term::masks}) {
    for (std::size_t i = 0; i < (made.*list).size(); ++i) {
      (made.*list)[i] = term((made.*list)[i], (other.*list)[i]);
      if ((made.*list)[i] == kNone) {
        return kNone;
      }
    }
  }
  return sources(made, other) ? terms_.add(std::move(made)) : kNone;
}

bool Shift::sources(Term& made, const Term& second) {
  for (std::size_t lane = 0; lane < made.sources.size(); ++lane) {
    Ref& own = made.sources[lane];
    const Ref& other = second.sources[lane];
    if (own.term == kNone && other.term == kNone) {
      continue;
    }
    own.term = own.lane == other.lane ? term(own.term, other.term) : kNone;
    if (own.term == kNone) {
      return false;
    }
  }
  return true;
}

}  // namespace ws::lift

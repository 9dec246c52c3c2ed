#include "runtime/lift/symbolic/guards.h"

#include <utility>

namespace ws::lift {

std::vector<TermId> Guards::masks() const {
  std::vector<TermId> all = exits_;
  all.insert(all.end(), conditions_.begin(), conditions_.end());
  return all;
}

// A conjunction is several masks, so that each can be an edge of a tensor.
void Guards::mask(TermId condition) {
  const Term& term = terms_.at(condition);
  if (term.kind == TermKind::kOperation && term.op == ir::Operator::kAnd) {
    for (const TermId part : term.args) {
      mask(part);
    }
    return;
  }
  conditions_.push_back(condition);
}

void Guards::narrow(TermId condition) {
  const Term& term = terms_.at(condition);
  if (const std::optional<Lanes> truth = numbers_.truth_of(condition)) {
    keep(*truth);
  } else if (term.kind == TermKind::kOperation && term.op == ir::Operator::kAnd) {
    for (const TermId part : term.args) {
      narrow(part);
    }
  } else {
    conditions_.push_back(condition);
  }
}

void Guards::keep(const Lanes& truth, bool wanted) {
  active_ = zip_lanes(active_, truth, [&](std::int64_t a, std::int64_t b) {
    return std::int64_t{a != 0 && (b != 0) == wanted};
  });
}

Lanes Guards::exchange(Lanes active) {
  return std::exchange(active_, std::move(active));
}

void Guards::restore(State state) {
  active_ = std::move(state.active);
  conditions_.resize(state.conditions);
}

void Guards::leave_others(std::size_t conditions) {
  exits_.insert(exits_.end(), conditions_.begin() + static_cast<std::ptrdiff_t>(conditions),
                conditions_.end());
  conditions_.resize(conditions);
}

bool is_same(Terms& terms, TermId left, TermId right) {
  for (std::size_t lane = 0; lane < terms.lanes(); ++lane) {
    const auto at = static_cast<std::int32_t>(lane);
    if (terms.value_hash({left, at}) != terms.value_hash({right, at})) {
      return false;
    }
  }
  return true;
}

bool is_alike(Terms& terms, TermId term, std::size_t group) {
  for (std::size_t lane = 0; lane < terms.lanes(); ++lane) {
    const auto own = static_cast<std::int32_t>(lane);
    const auto first = static_cast<std::int32_t>(lane - lane % group);
    if (terms.value_hash({term, own}) != terms.value_hash({term, first})) {
      return false;
    }
  }
  return true;
}

}  // namespace ws::lift

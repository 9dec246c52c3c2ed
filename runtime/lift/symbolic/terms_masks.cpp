// The conditions under which a value's elements are read.
#include <algorithm>

#include "runtime/lift/symbolic/terms.h"

namespace ws::lift {
namespace {

/// A comparison in one thread as `difference < 0` or `difference <= 0`.
struct Less {
  Poly difference;
  bool or_equal = false;
};

std::optional<Less> as_less(const Terms& terms, Ref condition) {
  const Term& term = terms.at(condition.term);
  const bool turned = is_turned(term.op);
  if (!is_ordering(term.op) || term.kind != TermKind::kOperation || term.args.size() != 2) {
    return std::nullopt;
  }
  const Term& small = terms.at(term.args[turned ? 1 : 0]);
  const Term& large = terms.at(term.args[turned ? 0 : 1]);
  if (small.kind != TermKind::kInteger || large.kind != TermKind::kInteger) {
    return std::nullopt;
  }
  const auto lane = static_cast<std::size_t>(condition.lane);
  return Less{small.poly.at(lane).plus(large.poly.at(lane), -1), holds_for_equal(term.op)};
}

}  // namespace

std::uint64_t Terms::mask_hash(Ref ref) {
  ref = resolve(ref);
  if (ref.term == kNone) {
    return 1;
  }
  const auto term_index = static_cast<std::size_t>(ref.term);
  const auto lane = static_cast<std::size_t>(ref.lane);
  if (const std::uint64_t kept = slot(mask_hashes_, term_index, lane); kept != 0) {
    return kept;
  }
  const Term& term = at(ref.term);
  // Conditions count with the element that they are about; what is read anyway adds nothing.
  std::uint64_t made = term.masks.empty() ? 1 : value_hash(ref);
  for (const TermId mask : term.masks) {
    made = made * 0x9e3779b97f4a7c15ULL + value_hash({mask, ref.lane});
  }
  for (const TermId arg : term.args) {
    made += mask_hash({arg, ref.lane}) - 1;
  }
  made = made == 0 ? 1 : made;
  slot(mask_hashes_, term_index, lane) = made;
  return made;
}

bool Terms::is_implied(Ref condition, Ref by) const {
  const Term& left = at(condition.term);
  const Term& right = at(by.term);
  if (left.known && right.known) {
    return lane_of(left.truth, static_cast<std::size_t>(condition.lane)) != 0 ||
           lane_of(right.truth, static_cast<std::size_t>(by.lane)) == 0;
  }
  const std::optional<Less> wanted = as_less(*this, condition);
  const std::optional<Less> given = as_less(*this, by);
  if (!wanted || !given) {
    return false;
  }
  const std::optional<std::int64_t> more = wanted->difference.plus(given->difference, -1).number();
  // From d < 0 or d <= 0 follows d + more < 0.
  return more && *more <= (!wanted->or_equal && given->or_equal ? -1 : 0);
}

bool Terms::reads_as_much(Ref left, Ref right) {
  int steps = 0;
  return reads_as_much(left, right, steps);
}

bool Terms::reads_as_much(Ref left, Ref right, int& steps) {
  constexpr int kMaxSteps = 4096;
  left = resolve(left);
  right = resolve(right);
  if (left == right || mask_hash(left) == mask_hash(right)) {
    return true;
  }
  if (left.term == kNone || right.term == kNone || ++steps > kMaxSteps) {
    return false;
  }
  const Term& own = at(left.term);
  const Term& other = at(right.term);
  if (own.kind == TermKind::kLoad && other.kind == TermKind::kLoad) {
    return std::ranges::all_of(own.masks, [&](TermId mask) {
      const Ref condition{mask, left.lane};
      return std::ranges::any_of(other.masks, [&](TermId by) {
        return value_hash(condition) == value_hash({by, right.lane}) ||
               is_implied(condition, {by, right.lane});
      });
    });
  }
  if (own.kind != TermKind::kOperation || other.kind != TermKind::kOperation ||
      own.op != other.op || own.args.size() != other.args.size()) {
    return false;
  }
  for (std::size_t i = 0; i < own.args.size(); ++i) {
    if (!reads_as_much({own.args[i], left.lane}, {other.args[i], right.lane}, steps)) {
      return false;
    }
  }
  return true;
}

}  // namespace ws::lift

// The states of a loop's rounds, and what they say of others.
#include <algorithm>

#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/pipelined_loop.h"

namespace ws::lift {
namespace {

constexpr const char* kUnevenRounds = "a loop whose rounds follow no known rule";

}  // namespace

RoundState PipelinedLoop::state_now(std::size_t objects) const {
  return {{around_.objects.all().begin(),
           around_.objects.all().begin() + static_cast<std::ptrdiff_t>(objects)},
          around_.copies.groups(),
          around_.memory.shared().now()};
}

/// Where the round before is that two states tell the others from.
std::size_t PipelinedLoop::base_of(int residue) const {
  return static_cast<std::size_t>(residue + (case_.peeled ? case_.period : 0));
}

/// Runs the first rounds, as many as two whole periods take, and keeps the state before each.
Status PipelinedLoop::run_first_rounds() {
  const std::size_t objects = around_.objects.size();
  const bool outer = around_.reports.set_trial(true);
  states_ = {state_now(objects)};
  const std::size_t rounds = base_of(2 * case_.period);
  for (std::size_t round = 0; round < rounds; ++round) {
    WS_CHECK(begin_place(Poly(static_cast<std::int64_t>(round))));
    WS_CHECK(rounds_.try_round(parts_, false));
    around_.places.leave();
    around_.objects.truncate(objects);
    states_.push_back(state_now(objects));
  }
  around_.reports.set_trial(outer);
  return {};
}

/// Finds the variables whose values no index tells: sums, maxima. Each is one of the program.
void PipelinedLoop::find_carried() {
  for (std::size_t id = 0; id < states_[0].objects.size(); ++id) {
    const std::vector<Leaf>& leaves = states_[0].objects[id].leaves;
    bool even = true;
    for (std::size_t slot = 0; slot < leaves.size() && even; ++slot) {
      even = is_even(id, slot);
    }
    for (std::size_t slot = 0; slot < leaves.size() && !even; ++slot) {
      const Leaf& later = states_[1].objects[id].leaves[slot];
      carried_.push_back({.object = static_cast<ObjectId>(id),
                          .slot = slot,
                          .before = leaves[slot],
                          .slot_form = slot_of(terms_, later),
                          .induction = false,
                          .delta = {},
                          .temporary = false});
    }
  }
}

/// Whether the rounds tell what a slot of a variable has in each of them. An index has to grow as
/// much in each period: one that a round writes first is another one before the first round.
bool PipelinedLoop::is_even(std::size_t object, std::size_t slot) {
  const auto period = static_cast<std::size_t>(case_.period);
  std::optional<Poly> step;
  for (std::size_t round = base_of(0); round <= base_of(case_.period); ++round) {
    const Leaf& first = states_[round].objects[object].leaves[slot];
    const Leaf& second = states_[round + period].objects[object].leaves[slot];
    Shift shift(terms_, Poly(1), case_.period);
    if (!shift.leaf(first, second)) {
      return false;
    }
    const Poly grown = index_of(second).plus(index_of(first), -1);
    if (step && !(*step == grown)) {
      return false;
    }
    step = grown;
  }
  return true;
}

/// The index that a scalar is, or that its pointer has; 0 where it is no index.
Poly PipelinedLoop::index_of(const Leaf& leaf) const {
  return leaf.term == kNone ? leaf.offset : terms_.at(leaf.term).poly;
}

/// The state at the start of round `round`, which is round `residue` modulo the period.
/// Variables that a loop carries have what they have in the round of that number.
/// @param residue  kFirstRound: what they have before the loop, as that of round 0.
Result<RoundState> PipelinedLoop::state_of(const Poly& round, int residue) {
  const bool at_first = residue == kFirstRound;
  const std::size_t base = at_first ? 0 : base_of(residue);
  const RoundState& first = states_[base];
  const RoundState& second = states_[base + static_cast<std::size_t>(case_.period)];
  Shift shift(terms_, round.plus(Poly(-static_cast<std::int64_t>(base))), case_.period);
  RoundState made = second;  // With the accesses of a round that had others before it.
  for (std::size_t id = 0; id < made.objects.size(); ++id) {
    shift_object(shift, first.objects[id], made.objects[id], at_first);
  }
  if (at_first) {
    made.groups = first.groups;
    made.stretch = first.stretch;
    return made;
  }
  WS_CHECK(shift_groups(shift, first.groups, made.groups));
  return made;
}

/// @param object   As it is in the later round; becomes what it is in the wanted one.
/// @param at_first  That is round 0, of which `first` is known to be true.
void PipelinedLoop::shift_object(Shift& shift, const Object& first, Object& object, bool at_first) {
  for (std::size_t slot = 0; slot < object.leaves.size(); ++slot) {
    const auto leaf = shift.leaf(first.leaves[slot], object.leaves[slot]);
    object.leaves[slot] = leaf ? *leaf : first.leaves[slot];
  }
  const Cells later = std::move(object.cells);
  object.cells = at_first ? first.cells : later;
  object.cells.change_unlike(at_first ? later : first.cells, [&](std::int64_t offset, Cell& cell) {
    const Cell* const before = first.cells.find(offset);
    const Cell* const after = later.find(offset);
    const bool same = before != nullptr && after != nullptr &&
                      before->source.lane == after->source.lane &&
                      before->under_way == after->under_way;
    const TermId moved = same ? shift.term(before->source.term, after->source.term) : kNone;
    cell.source.term = moved == kNone && at_first ? cell.source.term : moved;
  });
}

/// Copies that are under way, as those of the wanted round. @param later  Those of a later one.
Status PipelinedLoop::shift_groups(Shift& shift, const std::deque<std::vector<AsyncCopy>>& first,
                                   std::deque<std::vector<AsyncCopy>>& later) {
  bool even = first.size() == later.size();
  for (std::size_t i = 0; i < later.size() && even; ++i) {
    even = first[i].size() == later[i].size();
    for (std::size_t j = 0; j < later[i].size() && even; ++j) {
      const auto copy = shift.copy(first[i][j], later[i][j]);
      even = copy.has_value();
      later[i][j] = copy.value_or(AsyncCopy());
    }
  }
  return even ? Status() : fail(ErrorCode::kUnsupported, kUnevenRounds);
}

/// Goes on from a state. @param keep  Whether variables of the program keep what they have.
void PipelinedLoop::enter(RoundState state, bool keep) {
  for (std::size_t i = 0; i < carried_.size() && keep; ++i) {
    Object& variable = state.objects[static_cast<std::size_t>(carried_[i].object)];
    variable = around_.objects.at(carried_[i].object);
    if (carried_[i].temporary) {
      variable.leaves.assign(variable.leaves.size(), Leaf());
    }
  }
  for (Object& object : state.objects) {
    around_.memory.shared().resume(object.cells, state.stretch);
  }
  around_.objects.exchange(std::move(state.objects));
  around_.copies.set_groups(std::move(state.groups));
}

/// Whether the threads have what was said of them.
Status PipelinedLoop::check_state(const RoundState& said) {
  bool right = said.groups.size() == around_.copies.groups().size();
  for (std::size_t id = 0; id < said.objects.size() && right; ++id) {
    const bool is_carried = std::ranges::any_of(
        carried_, [&](const SlotChange& one) { return one.object == static_cast<ObjectId>(id); });
    right = agrees(said.objects[id], around_.objects.all()[id], !is_carried);
  }
  for (std::size_t i = 0; i < said.groups.size() && right; ++i) {
    right = std::ranges::equal(
        said.groups[i], around_.copies.groups()[i],
        [&](const AsyncCopy& wanted, const AsyncCopy& is) {
          return is.target == wanted.target && is.first == wanted.first &&
                 is.active == wanted.active &&
                 std::ranges::equal(is.values, wanted.values,
                                    [&](TermId a, TermId b) { return is_same(terms_, a, b); });
        });
  }
  return right ? Status() : fail(ErrorCode::kUnsupported, kUnevenRounds);
}

bool PipelinedLoop::agrees(const Object& said, const Object& now, bool leaves) {
  for (std::size_t slot = 0; slot < now.leaves.size() && leaves; ++slot) {
    const Leaf& wanted = said.leaves[slot];
    const Leaf& is = now.leaves[slot];
    const bool same = is.term == wanted.term || (is.term != kNone && wanted.term != kNone &&
                                                 is_same(terms_, is.term, wanted.term));
    if (!same || is.object != wanted.object || is.where != wanted.where ||
        !(is.offset == wanted.offset)) {
      return false;
    }
  }
  return said.cells.agrees(now.cells, [&](std::int64_t offset, const Cell& wanted) {
    const Cell* const is = now.cells.find(offset);
    return wanted.source.term == kNone ||
           (is != nullptr && is->under_way == wanted.under_way &&
            terms_.value_hash(is->source) == terms_.value_hash(wanted.source));
  });
}

}  // namespace ws::lift

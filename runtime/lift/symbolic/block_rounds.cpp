// Rounds of a symbolic loop: how it is counted, what it carries, and what is left after it.
#include <algorithm>

#include "runtime/lift/symbolic/block.h"

namespace ws::lift {
namespace {

std::int64_t largest(const Lanes& lanes) {
  return *std::max_element(lanes.begin(), lanes.end());
}

}  // namespace

Status Block::start_round(const std::vector<Change>& changes, const Poly& round) {
  std::set<ObjectId> carried;
  for (const Change& change : changes) {
    Leaf& leaf = objects_.at(change.object).leaves[change.slot];
    if (!change.induction && (leaf.object != kNone || change.temporary)) {
      leaf = {};  // Points elsewhere in every round, or is written first.
    } else if (!change.induction) {
      carried.insert(change.object);
      objects_.at(change.object).slots.resize(objects_.at(change.object).leaves.size());
      objects_.at(change.object).slots[change.slot] = change.slot_form;
    } else if (leaf.object != kNone) {
      leaf.offset = leaf.offset.plus(change.delta.times(round));
    } else {
      const Term& term = terms_.at(leaf.term);
      leaf.term = terms_.integer(term.poly.plus(change.delta.times(round)), term.type);
    }
  }
  for (const ObjectId id : carried) {
    WS_CHECK(carried_.carry(id));
  }
  return {};
}

/// Variables that no round reads before it writes them are no concern of the others.
void Block::mark_temporaries(std::vector<Change>& changes) const {
  for (Change& change : changes) {
    change.temporary = mode_.by_warps && !change.induction && !round_reads_.contains(change.object);
  }
}

Result<LoopEvent> Block::measure(const LoopParts& parts, const std::string& variable,
                                 TermId& condition) {
  WS_TRY(const TermId made, term_of(parts.condition));
  condition = made;
  Poly rest;
  if (const Result<Poly> left = left_to_do(terms_, made)) {
    rest = *left;
  } else {
    return fail(left.error());
  }
  const auto [slope, total] = rest.split({symbols_.intern(variable)}, 1);
  LoopEvent event;
  event.variable = variable;
  event.range = steps_.where();
  event.step = Poly(0).plus(slope, -1);
  if (!slope.is_uniform() || slope.mentions(symbols_.intern(variable)) || event.step == Poly(0) ||
      (event.step.number() && *event.step.number() <= 0)) {
    return fail(ErrorCode::kUnsupported, "a loop whose rounds cannot be counted");
  }
  // The thread that has most to do decides; the others are masked.
  event.total = total.symbolic().plus(Poly(largest(total.constant())));
  if (!event.total.is_uniform()) {
    return fail(ErrorCode::kUnsupported, "a loop whose rounds differ from thread to thread");
  }
  return event;
}

Status Block::run_round(const LoopParts& parts, const std::vector<Change>& changes,
                        const std::vector<Object>& before, const LoopEvent& event,
                        TermId condition) {
  std::vector<ObjectId> carried;
  for (const Change& change : changes) {
    const bool known = std::ranges::find(carried, change.object) != carried.end();
    if (!change.induction && !change.temporary && !known && is_needed(change.object)) {
      carried.push_back(change.object);
    }
  }
  WS_TRY(const std::vector<Update> initial, carried_.enter(event.variable, carried, before));
  WS_CHECK(reports_.begin_loop(event, initial));
  const std::size_t masks = guards_.conditions().size();
  WS_TRY(const Poly left, left_to_do(terms_, condition));
  if (left.constant().size() > 1) {
    guards_.mask(condition);
  }
  WS_CHECK(body(parts));
  guards_.drop(masks);
  control_.go(Flow::kNext);
  WS_CHECK(parts.step == kNone ? Status() : statement(parts.step));
  WS_CHECK(memory_.flush());
  WS_CHECK(copies_.check_landed());
  WS_CHECK(carried_.update());
  carried_.leave();
  return reports_.end_loop();
}

/// Forgets what a loop counted, or left in shared memory that is no tile: it is not known after the
/// loop.
void Block::leave_round(const std::vector<Change>& changes, const std::vector<Object>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].kind == ObjectKind::kShared) {
      memory_.forget_changed(before[i], objects_.at(static_cast<ObjectId>(i)), false);
    }
  }
  for (const Change& change : changes) {
    if (change.induction || change.temporary) {
      objects_.at(change.object).leaves[change.slot] = {};
    }
  }
  memory_.shared().meet_warp();
}

bool Block::is_needed(ObjectId id) const {
  return needed_ == nullptr || needed_->contains(id);
}

std::string Block::loop_name(const LoopParts& parts) const {
  std::string name = "step";
  const NodeId counted = parts.step == kNone || tree_.node(parts.step).kids.empty()
                             ? kNone
                             : tree_.node(parts.step).kids.front();
  if (counted != kNone && tree_.node(counted).kind == NodeKind::kVariable) {
    name = tree_.variable(tree_.node(counted).index).name + "_step";
  }
  return carried_.free_name(std::move(name));
}

}  // namespace ws::lift

#include "runtime/lift/symbolic/rounds.h"

#include <algorithm>
#include <set>

#include "runtime/lift/symbolic/bits.h"

namespace ws::lift {
namespace {

std::int64_t largest(const Lanes& lanes) {
  return *std::max_element(lanes.begin(), lanes.end());
}

}  // namespace

Rounds::Rounds(const Basis& basis, const Surroundings& around, const std::set<ObjectId>* needed)
    : tree_(basis.tree),
      mode_(basis.mode),
      terms_(basis.terms),
      symbols_(basis.symbols),
      numbers_(basis.numbers),
      runner_(around.runner),
      reports_(around.reports),
      steps_(around.steps),
      guards_(around.guards),
      control_(around.control),
      reads_(around.reads),
      objects_(around.objects),
      memory_(around.memory),
      copies_(around.copies),
      carried_(around.carried),
      needed_(needed) {}

Status Rounds::run(const LoopParts& parts) {
  WS_CHECK(memory_.flush());
  WS_CHECK(copies_.check_landed());
  const std::string variable = name_of(parts);
  const std::vector<Object> before = objects_.all();
  const std::size_t terms = terms_.size();
  WS_TRY(const std::vector<SlotChange> changes, learn(parts, before, variable));
  restore(before);
  terms_.truncate(terms);  // Drops the terms of the dry runs.
  const Poly round = Poly::of(symbols_.intern(variable));
  WS_CHECK(start_round(changes, round));
  TermId condition = kNone;
  WS_TRY(const LoopEvent event, measure(parts, variable, condition));
  WS_CHECK(run_round(parts, changes, before, event, condition));
  WS_CHECK(memory_.check_rounds_apart());
  leave_round(changes, before);
  return {};
}

std::string Rounds::name_of(const LoopParts& parts) const {
  std::string name = "step";
  const NodeId counted = parts.step == kNone || tree_.node(parts.step).kids.empty()
                             ? kNone
                             : tree_.node(parts.step).kids.front();
  if (counted != kNone && tree_.node(counted).kind == NodeKind::kVariable) {
    name = tree_.variable(tree_.node(counted).index).name + "_step";
  }
  return carried_.free_name(std::move(name));
}

Status Rounds::body(const LoopParts& parts) {
  control_.enter_body(guards_.conditions().size());
  const Status done = runner_.statement(parts.body);
  guards_.drop(control_.leave_body());
  return done;
}

Status Rounds::start_round(const std::vector<SlotChange>& changes, const Poly& round) {
  std::set<ObjectId> carried;
  for (const SlotChange& change : changes) {
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

Result<LoopEvent> Rounds::measure(const LoopParts& parts, const std::string& variable,
                                  TermId& condition) const {
  WS_TRY(const TermId made, runner_.term_of(parts.condition));
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

Status Rounds::run_round(const LoopParts& parts, const std::vector<SlotChange>& changes,
                         const std::vector<Object>& before, const LoopEvent& event,
                         TermId condition) {
  std::vector<ObjectId> carried;
  for (const SlotChange& change : changes) {
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
  WS_CHECK(parts.step == kNone ? Status() : runner_.statement(parts.step));
  WS_CHECK(memory_.flush());
  WS_CHECK(copies_.check_landed());
  WS_CHECK(carried_.update());
  carried_.leave();
  return reports_.end_loop();
}

Status Rounds::try_round(const LoopParts& parts, bool masked) {
  const std::size_t masks = guards_.conditions().size();
  if (masked) {
    WS_TRY(const TermId condition, runner_.term_of(parts.condition));
    const Result<Poly> left = left_to_do(terms_, condition);
    if (!left) {
      return fail(left.error());
    }
    if (left->constant().size() > 1) {
      guards_.mask(condition);
    }
  }
  const Status done = body(parts);
  guards_.drop(masks);
  WS_CHECK(done);
  if (control_.flow() == Flow::kContinue) {
    control_.go(Flow::kNext);
  }
  if (control_.flow() != Flow::kNext) {
    return fail(ErrorCode::kUnsupported, "a loop that is left from within");
  }
  WS_CHECK(parts.step == kNone ? Status() : runner_.statement(parts.step));
  WS_CHECK(memory_.flush());
  memory_.shared().meet_warp();
  return copies_.check_landed();
}

/// Forgets what a loop counted, or left in shared memory that is no tile: it is not known after the
/// loop.
void Rounds::leave_round(const std::vector<SlotChange>& changes,
                         const std::vector<Object>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].kind == ObjectKind::kShared) {
      memory_.forget_changed(before[i], objects_.at(static_cast<ObjectId>(i)), false);
    }
  }
  for (const SlotChange& change : changes) {
    if (change.induction || change.temporary) {
      objects_.at(change.object).leaves[change.slot] = {};
    }
  }
  memory_.shared().meet_warp();
}

bool Rounds::is_needed(ObjectId id) const {
  return needed_ == nullptr || needed_->contains(id);
}

}  // namespace ws::lift

// Loops of a symbolic run: unrolled where the number of rounds is known and small, else run once
// with a symbol for the round.
#include <algorithm>

#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMaxUnrolled = 128;
constexpr int kMaxAttempts = 3;

}  // namespace

Status Block::loop(const Node& node) {
  LoopParts parts;
  if (node.kind == NodeKind::kFor) {
    WS_CHECK(statement(node.kids[0]));
    parts = {node.kids[1], node.kids[2], node.kids[3]};
  } else if (node.kind == NodeKind::kWhile) {
    parts = {node.kids[0], kNone, node.kids[1]};
  } else {
    // do: the first round is certain.
    parts = {node.kids[1], kNone, node.kids[0]};
    WS_CHECK(body(parts));
    if (control_.flow() == Flow::kContinue) {
      control_.go(Flow::kNext);
    }
  }
  if (control_.flow() != Flow::kNext || tree_.node(parts.condition).kind == NodeKind::kBlock) {
    return fail(ErrorCode::kUnsupported, "a loop without a condition");
  }
  WS_TRY(const bool known, is_short(parts));
  WS_CHECK(known ? unroll(parts) : symbolic_loop(parts));
  steps_.enter(node.range);
  return {};
}

/// Whether all rounds are known. Found out by the condition and the step alone.
Result<bool> Block::is_short(const LoopParts& parts) {
  if (std::max(changes_of(parts.condition), changes_of(parts.step)) == Changes::kMore) {
    return false;  // It could not be undone.
  }
  std::map<ObjectId, Object> before;
  for (const NodeId part : {parts.condition, parts.step}) {
    save_assigned(part, before);
  }
  const Lanes around = guards_.active();
  bool known = false;
  for (std::size_t round = 0; round <= kMaxUnrolled; ++round) {
    WS_TRY(const TermId condition, term_of(parts.condition));
    const std::optional<Lanes> truth = numbers_.truth_of(condition);
    if (!truth) {
      break;
    }
    guards_.keep(*truth);
    if (guards_.is_nobody() || parts.step == kNone) {
      known = true;
      break;
    }
    WS_CHECK(statement(parts.step));
  }
  guards_.exchange(around);
  for (auto& [id, saved] : before) {
    objects_.at(id) = std::move(saved);
  }
  return known;
}

/// The variable that a place is in; kNone: it is in memory, or behind a pointer.
ObjectId Block::root_of(NodeId place) {
  const Node* node = &tree_.node(place);
  const auto is_part = [&] {
    const TypeId base = node->kids.empty() ? kNone : tree_.node(node->kids[0]).type;
    const bool array = base != kNone && tree_.type(base).kind == TypeKind::kArray;
    return node->kind == NodeKind::kMember || (node->kind == NodeKind::kIndex && array);
  };
  while (is_part()) {
    node = &tree_.node(node->kids[0]);
  }
  ObjectId at = node->kind == NodeKind::kVariable ? objects_.find(node->index) : kNone;
  if (at != kNone && tree_.variable(node->index).reference) {
    at = objects_.at(at).leaves.front().object;
  }
  const bool local = at != kNone && objects_.at(at).kind == ObjectKind::kLocal;
  return local ? at : kNone;
}

/// Walks an expression, but for the functions that it calls: Node::value says what these change.
Block::Changes Block::changes_of(NodeId id) {
  if (id == kNone) {
    return Changes::kNothing;
  }
  const Node& node = tree_.node(id);
  Changes most = Changes::kNothing;
  for (const NodeId kid : node.kids) {
    most = std::max(most, changes_of(kid));
  }
  if (node.kind == NodeKind::kAssign || is_step(node.op)) {
    const bool known = root_of(node.kids[0]) != kNone;
    return std::max(most, known ? Changes::kVariables : Changes::kMore);
  }
  const bool entered = node.kind == NodeKind::kCall && node.index != kNone;
  const bool by_pointer = entered && std::ranges::any_of(node.kids, [&](NodeId kid) {
                            const TypeId type = tree_.node(kid).type;
                            return type != kNone && tree_.type(type).kind == TypeKind::kPointer;
                          });
  const Meaning* const meaning =
      node.kind == NodeKind::kCall && !entered ? meaning_of_function(node.text) : nullptr;
  const bool more = by_pointer || (entered && node.value != 0) || node.kind == NodeKind::kAsm ||
                    (meaning != nullptr && meaning->effect != Effect::kValue);
  return more ? Changes::kMore : most;
}

/// Keeps what the variables hold that an expression assigns.
void Block::save_assigned(NodeId id, std::map<ObjectId, Object>& saved) {
  if (id == kNone) {
    return;
  }
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAssign || is_step(node.op)) {
    if (const ObjectId at = root_of(node.kids[0]); at != kNone) {
      saved.emplace(at, objects_.at(at));
    }
  }
  for (const NodeId kid : node.kids) {
    save_assigned(kid, saved);
  }
}

Status Block::unroll(const LoopParts& parts) {
  const Lanes around = guards_.active();
  for (std::size_t round = 0;; ++round) {
    WS_TRY(const TermId condition, term_of(parts.condition));
    const std::optional<Lanes> truth = numbers_.truth_of(condition);
    if (!truth || round > kMaxUnrolled) {
      return fail(ErrorCode::kUnsupported, "a loop whose rounds cannot be counted");
    }
    guards_.keep(*truth);
    if (guards_.is_nobody()) {
      break;
    }
    WS_CHECK(body(parts));
    const bool all = guards_.active() == around;
    if (control_.flow() == Flow::kReturn || (control_.flow() == Flow::kBreak && !all)) {
      return fail(ErrorCode::kUnsupported, "some threads leave a loop or function before others");
    }
    const bool ended = control_.flow() == Flow::kBreak;
    control_.go(Flow::kNext);
    if (ended) {
      break;
    }
    WS_CHECK(parts.step == kNone ? Status() : statement(parts.step));
  }
  guards_.exchange(around);
  return {};
}

/// One round's body. Conditions that `continue` leaves behind end with it.
Status Block::body(const LoopParts& parts) {
  control_.enter_body(guards_.conditions().size());
  const Status done = statement(parts.body);
  guards_.drop(control_.leave_body());
  return done;
}

Status Block::symbolic_loop(const LoopParts& parts) {
  if (mode_.is_part()) {
    return fail(ErrorCode::kUnsupported, kUnknownRounds);
  }
  if (changes_of(parts.condition) != Changes::kNothing) {
    return fail(ErrorCode::kUnsupported, "a loop whose condition changes something");
  }
  if (!guards_.are_all_active() && carried_.depth() > 4) {
    return fail(ErrorCode::kUnsupported, "loops nested too deeply");
  }
  if (mode_.pipeline.period > 0) {
    if (changes_of(parts.step) == Changes::kMore) {
      return fail(ErrorCode::kUnsupported, "a loop whose step changes more than variables");
    }
    return pipelined_loop(parts);
  }
  WS_CHECK(memory_.flush());
  WS_CHECK(copies_.check_landed());
  const std::string variable = loop_name(parts);
  const std::vector<Object> before = objects_.all();
  const std::size_t terms = terms_.size();
  WS_TRY(const std::vector<Change> changes, learn(parts, before, variable));
  restore(before);
  terms_.truncate(terms);  // Drops the terms of the dry runs.
  rounded_.clear();
  const Poly round = Poly::of(symbols_.intern(variable));
  WS_CHECK(start_round(changes, round));
  TermId condition = kNone;
  WS_TRY(const LoopEvent event, measure(parts, variable, condition));
  WS_CHECK(run_round(parts, changes, before, event, condition));
  WS_CHECK(memory_.check_rounds_apart());
  leave_round(changes, before);
  return {};
}

/// Finds out what a round changes: runs it until the result agrees with what was assumed.
Result<std::vector<Block::Change>> Block::learn(const LoopParts& parts,
                                                const std::vector<Object>& before,
                                                const std::string& variable) {
  const bool outer = reports_.set_trial(true);
  WS_TRY(const TermId first, term_of(parts.condition));
  const bool masked = !numbers_.truth_of(first).has_value();
  WS_CHECK(dry_round(parts, masked));
  std::vector<Change> changes = changes_since(before);
  const Poly round = Poly::of(symbols_.intern(variable));
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    restore(before);
    WS_CHECK(start_round(changes, round));
    const std::vector<Object> start = objects_.all();
    std::set<ObjectId> around = round_reads_.begin();
    WS_CHECK(dry_round(parts, masked));
    mark_temporaries(changes);
    round_reads_.merge(std::move(around));
    const bool changed = refine(changes, changes_since(start));
    if (!changed) {
      reports_.set_trial(outer);
      return changes;
    }
  }
  return fail(ErrorCode::kUnsupported, "a loop whose variables follow no known rule");
}

Status Block::dry_round(const LoopParts& parts, bool masked) {
  const std::size_t masks = guards_.conditions().size();
  if (masked) {
    WS_TRY(const TermId condition, term_of(parts.condition));
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
  WS_CHECK(parts.step == kNone ? Status() : statement(parts.step));
  WS_CHECK(memory_.flush());
  memory_.shared().meet_warp();
  return copies_.check_landed();
}

std::vector<Block::Change> Block::changes_since(const std::vector<Object>& before) const {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t slot = 0; slot < before[i].leaves.size(); ++slot) {
      const Leaf& old = before[i].leaves[slot];
      const Leaf& now = objects_.all()[i].leaves[slot];
      if (old == now) {
        continue;
      }
      Change change{static_cast<ObjectId>(i), slot, old, slot_of(terms_, now), false, {}, false};
      const bool pointer = old.object != kNone && old.object == now.object;
      const bool integer = old.term != kNone && now.term != kNone &&
                           terms_.at(old.term).kind == TermKind::kInteger &&
                           terms_.at(now.term).kind == TermKind::kInteger;
      if (pointer || integer) {
        change.delta = pointer ? now.offset.plus(old.offset, -1)
                               : terms_.at(now.term).poly.plus(terms_.at(old.term).poly, -1);
        change.induction = true;
      }
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

/// Compares what was expected with what a round did. @return  Whether something had to be changed.
bool Block::refine(std::vector<Change>& changes, const std::vector<Change>& seen) {
  bool changed = false;
  for (const Change& now : seen) {
    const auto known = std::find_if(changes.begin(), changes.end(), [&](const Change& change) {
      return change.object == now.object && change.slot == now.slot;
    });
    if (known == changes.end()) {
      changes.push_back(now);
      changes.back().induction = false;
      changed = true;
    } else if (known->induction && (!now.induction || !(now.delta == known->delta))) {
      known->induction = false;
      changed = true;
    }
    if (known != changes.end() && now.slot_form.parts > known->slot_form.parts) {
      known->slot_form = now.slot_form;
      changed = true;
    }
  }
  for (Change& change : changes) {
    const bool still = std::any_of(seen.begin(), seen.end(), [&](const Change& now) {
      return change.object == now.object && change.slot == now.slot;
    });
    if (change.induction && !still) {
      change.induction = false;  // The first round did something that others do not.
      changed = true;
    }
  }
  return changed;
}

/// As it was, but for what threads read and wrote of shared memory: the next round's accesses are
/// checked against these too.
void Block::restore(const std::vector<Object>& before) {
  std::vector<Object> after = objects_.exchange(before);
  for (std::size_t i = 0; i < before.size(); ++i) {
    Object& now = objects_.at(static_cast<ObjectId>(i));
    if (now.kind == ObjectKind::kShared) {
      now.cells = std::move(after[i].cells);
      now.element = after[i].element;  // give_type()
      memory_.forget_changed(before[i], now, true);
    }
  }
  memory_.drop_stores();
}

}  // namespace ws::lift

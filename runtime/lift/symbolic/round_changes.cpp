// The changes that a round makes, found out by running it.
#include <algorithm>

#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/rounds.h"

namespace ws::lift {
namespace {

constexpr int kMaxAttempts = 3;

/// Compares what was expected with what a round did. @return  Whether something had to be changed.
bool refine(std::vector<SlotChange>& changes, const std::vector<SlotChange>& seen) {
  bool changed = false;
  for (const SlotChange& now : seen) {
    const auto known = std::find_if(changes.begin(), changes.end(), [&](const SlotChange& change) {
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
  for (SlotChange& change : changes) {
    const bool still = std::any_of(seen.begin(), seen.end(), [&](const SlotChange& now) {
      return change.object == now.object && change.slot == now.slot;
    });
    if (change.induction && !still) {
      change.induction = false;  // The first round did something that others do not.
      changed = true;
    }
  }
  return changed;
}

}  // namespace

/// Finds out what a round changes: runs it until the result agrees with what was assumed.
Result<std::vector<SlotChange>> Rounds::learn(const LoopParts& parts,
                                              const std::vector<Object>& before,
                                              const std::string& variable) {
  const bool outer = reports_.set_trial(true);
  WS_TRY(const TermId first, runner_.term_of(parts.condition));
  const bool masked = !numbers_.truth_of(first).has_value();
  WS_CHECK(try_round(parts, masked));
  std::vector<SlotChange> changes = changes_since(before);
  const Poly round = Poly::of(symbols_.intern(variable));
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    restore(before);
    WS_CHECK(start_round(changes, round));
    const std::vector<Object> start = objects_.all();
    std::set<ObjectId> around = reads_.begin();
    WS_CHECK(try_round(parts, masked));
    mark_temporaries(changes);
    reads_.merge(std::move(around));
    const bool changed = refine(changes, changes_since(start));
    if (!changed) {
      reports_.set_trial(outer);
      return changes;
    }
  }
  return fail(ErrorCode::kUnsupported, "a loop whose variables follow no known rule");
}

std::vector<SlotChange> Rounds::changes_since(const std::vector<Object>& before) const {
  std::vector<SlotChange> changes;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t slot = 0; slot < before[i].leaves.size(); ++slot) {
      const Leaf& old = before[i].leaves[slot];
      const Leaf& now = objects_.all()[i].leaves[slot];
      if (old == now) {
        continue;
      }
      SlotChange change{
          static_cast<ObjectId>(i), slot, old, slot_of(terms_, now), false, {}, false};
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

/// Variables that no round reads before it writes them are no concern of the others.
void Rounds::mark_temporaries(std::vector<SlotChange>& changes) const {
  for (SlotChange& change : changes) {
    change.temporary = mode_.by_warps && !change.induction && !reads_.contains(change.object);
  }
}

/// As it was, but for what threads read and wrote of shared memory: the next round's accesses are
/// checked against these too.
void Rounds::restore(const std::vector<Object>& before) {
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

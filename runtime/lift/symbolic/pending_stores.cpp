#include "runtime/lift/symbolic/pending_stores.h"

#include <algorithm>

namespace ws::lift {

void PendingStores::add(ObjectId object, const Poly& offset, TermId value, const Range& range,
                        const std::string& atomic) {
  StoreEvent event;
  event.offset = offset;
  event.value = value;
  event.active = guards_.active();
  event.masks = guards_.masks();
  event.range = range;
  stores_.push_back({object, atomic, {std::move(event)}});
}

/// All of some conditions, as one.
TermId PendingStores::conjunction(std::span<const TermId> conditions) {
  TermId all = conditions.front();
  for (const TermId condition : conditions.subspan(1)) {
    all = terms_.operation(ir::Operator::kAnd, DType::kBool, {all, condition});
  }
  return all;
}

std::optional<TermId> PendingStores::join(ObjectId object, const Poly& offset, TermId value) {
  const auto last = std::find_if(stores_.rbegin(), stores_.rend(),
                                 [&](const StoreGroup& group) { return group.object == object; });
  if (last == stores_.rend() || !last->atomic.empty() || !(last->events.back().offset == offset) ||
      last->events.back().active != guards_.active()) {
    return std::nullopt;
  }
  StoreEvent& event = last->events.back();
  const std::vector<TermId> now = guards_.masks();
  const auto [first, second] = std::ranges::mismatch(event.masks, now);
  const std::vector<TermId> common(event.masks.begin(), first);
  const std::vector<TermId> before(first, event.masks.end());
  const std::vector<TermId> here(second, now.end());
  if (here.empty()) {
    event.value = value;
  } else if (before.empty()) {
    event.value = terms_.operation(ir::Op::kWhere, terms_.at(value).type,
                                   {conjunction(here), value, event.value});
  } else if (is_same(terms_, numbers_.negated(conjunction(before)), conjunction(here))) {
    event.value = terms_.operation(ir::Op::kWhere, terms_.at(value).type,
                                   {conjunction(before), event.value, value});
  } else {
    return std::nullopt;
  }
  event.masks = common;
  return event.value;
}

bool PendingStores::has(ObjectId object) const {
  return std::ranges::any_of(stores_,
                             [&](const StoreGroup& group) { return group.object == object; });
}

std::vector<StoreGroup> PendingStores::take() {
  std::vector<StoreGroup> groups;
  for (StoreGroup& one : stores_) {
    const auto alike = std::ranges::find_if(groups, [&](const StoreGroup& group) {
      return group.object == one.object && group.atomic == one.atomic;
    });
    if (alike == groups.end()) {
      groups.push_back(std::move(one));
    } else {
      alike->events.push_back(std::move(one.events.front()));
    }
  }
  stores_.clear();
  return groups;
}

}  // namespace ws::lift

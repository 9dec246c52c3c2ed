// The numbers that a variable holds, one or several in each of its scalars: two halves in a
// register.
#include <algorithm>

#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

/// The parts that Object::slots names, of each scalar of `leaves`. kNone: nothing that is known.
Result<std::vector<TermId>> Block::slots_of(ObjectId id, const std::vector<Leaf>& leaves) {
  std::vector<TermId> all;
  const std::vector<Slot> slots = objects_.at(id).slots;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Slot slot = slots.empty() ? Slot{} : slots[i];
    if (slot.parts == 1) {
      WS_TRY(const Leaf leaf,
             as_real(terms_, leaves[i], slot.type.value_or(DType::kI32), objects_.at(id).name));
      all.push_back(leaf.term);
    } else if (leaves[i].term == kNone) {
      all.insert(all.end(), slot.parts, kNone);
    } else {
      WS_TRY(const std::vector<TermId> parts,
             bit_parts(terms_, leaves[i].term, slot.parts, *slot.type));
      all.insert(all.end(), parts.begin(), parts.end());
    }
  }
  return all;
}

/// Threads that have one place of a tile in common take what the first of them has. Their values
/// are compared wherever the variable gets one.
void Block::share_places(ObjectId id, std::vector<TermId>& slots) {
  if (mode_.layouts == nullptr || !mode_.layouts->contains(id)) {
    return;
  }
  const Layout& layout = mode_.layouts->at(id);
  const bool complete =
      layout.places.size() == slots.size() && std::ranges::find(slots, kNone) == slots.end();
  if (!complete || layout.cols != 1) {
    return;
  }
  std::map<std::int64_t, Ref> first;
  const std::vector<TermId> own = slots;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::vector<Ref> sources(lanes_);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const Ref here{own[slot], static_cast<std::int32_t>(lane)};
      sources[lane] = first.emplace(layout.places[slot][lane], here).first->second;
    }
    slots[slot] = terms_.move(terms_.at(own[slot]).type, std::move(sources));
  }
}

/// From here on the variable's slots are what the program's variable holds.
/// @param like  Of each slot a value of its type; kNone: it has none.
Result<std::vector<TermId>> Block::carry(ObjectId id, const std::vector<TermId>& like) {
  std::vector<TermId> made(like.size(), kNone);
  ++carried_versions_;
  for (std::size_t slot = 0; slot < like.size(); ++slot) {
    if (like[slot] == kNone) {
      continue;
    }
    Term term;
    term.kind = TermKind::kCarried;
    term.type = terms_.at(like[slot]).type;
    term.object = id;
    term.version = carried_versions_;
    term.slot = static_cast<int>(slot);
    made[slot] = terms_.add(std::move(term));
  }
  share_places(id, made);
  std::size_t first = 0;
  Object& variable = objects_.at(id);
  for (std::size_t i = 0; i < variable.leaves.size(); ++i) {
    const Slot slot = variable.slots.empty() ? Slot{} : variable.slots[i];
    const auto begin = made.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<TermId> parts(begin, begin + static_cast<std::ptrdiff_t>(slot.parts));
    first += slot.parts;
    if (std::ranges::find(parts, kNone) != parts.end()) {
      continue;
    }
    const TermId before = variable.leaves[i].term;
    variable.leaves[i] = {slot.parts == 1
                              ? parts.front()
                              : terms_.operation(OwnOp::kBits, terms_.at(before).type, parts),
                          kNone,
                          {}};
  }
  for (Round& round : rounds_running_) {
    if (const auto known = round.carried.find(id); known != round.carried.end()) {
      known->second = made;
    }
  }
  return made;
}

}  // namespace ws::lift

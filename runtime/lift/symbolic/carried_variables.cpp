#include "runtime/lift/symbolic/carried_variables.h"

#include <algorithm>

#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

/// The parts that Object::slots names, of each scalar of `leaves`. kNone: nothing that is known.
Result<std::vector<TermId>> CarriedVariables::slots_of(ObjectId id,
                                                       const std::vector<Leaf>& leaves) {
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
void CarriedVariables::share_places(ObjectId id, std::vector<TermId>& slots) {
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
    std::vector<Ref> sources(terms_.lanes());
    for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
      const Ref here{own[slot], static_cast<std::int32_t>(lane)};
      sources[lane] = first.emplace(layout.places[slot][lane], here).first->second;
    }
    slots[slot] = terms_.move(terms_.at(own[slot]).type, std::move(sources));
  }
}

Status CarriedVariables::carry(ObjectId id) {
  WS_TRY(const std::vector<TermId> like, slots_of(id, objects_.at(id).leaves));
  carry(id, like);
  return {};
}

/// @param like  A value of each slot's type; kNone: it has none.
void CarriedVariables::carry(ObjectId id, const std::vector<TermId>& like) {
  std::vector<TermId> made(like.size(), kNone);
  ++versions_;
  for (std::size_t slot = 0; slot < like.size(); ++slot) {
    if (like[slot] == kNone) {
      continue;
    }
    Term term;
    term.kind = TermKind::kCarried;
    term.type = terms_.at(like[slot]).type;
    term.object = id;
    term.version = versions_;
    term.slot = static_cast<int>(slot);
    made[slot] = terms_.add(std::move(term));
  }
  share_places(id, made);
  hold(objects_.at(id), made);
  for (Round& round : rounds_) {
    if (const auto known = round.carried.find(id); known != round.carried.end()) {
      known->second = made;
    }
  }
}

/// Gives a variable the values of its slots, but for scalars of which one is kNone.
void CarriedVariables::hold(Object& variable, const std::vector<TermId>& slots) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < variable.leaves.size(); ++i) {
    const Slot slot = variable.slots.empty() ? Slot{} : variable.slots[i];
    const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(first);
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
}

std::string CarriedVariables::free_name(std::string name) const {
  for (const Round& round : rounds_) {
    name += round.variable == name ? "_" : "";
  }
  return name;
}

Result<std::vector<Update>> CarriedVariables::enter(const std::string& variable,
                                                    const std::vector<ObjectId>& carried,
                                                    const std::vector<Object>& before) {
  Round round{variable, {}};
  std::vector<Update> initial;
  for (const ObjectId id : carried) {
    Update update;
    update.object = id;
    WS_TRY(std::vector<TermId> now, slots_of(id, objects_.at(id).leaves));
    for (const TermId slot : now) {
      update.version =
          slot == kNone ? update.version : terms_.at(terms_.resolve({slot, 0}).term).version;
    }
    WS_TRY(update.now, slots_of(id, before[static_cast<std::size_t>(id)].leaves));
    round.carried[id] = std::move(now);
    initial.push_back(std::move(update));
  }
  rounds_.push_back(std::move(round));
  memory_.enter_loop();
  return initial;
}

void CarriedVariables::leave() {
  rounds_.pop_back();
  memory_.leave_loop();
}

Status CarriedVariables::update() {
  if (reports_.is_trial()) {
    return {};
  }
  std::vector<Update> updates;
  Range range = steps_.where();
  for (const Round& round : rounds_) {
    for (const auto& [id, last] : round.carried) {
      Update update{id, last, {}, 0};
      WS_TRY(update.now, slots_of(id, objects_.at(id).leaves));
      const bool seen = std::ranges::any_of(
          updates, [&](const Update& other) { return other.object == update.object; });
      if (update.now != update.before && !seen) {
        range = objects_.at(id).range;
        updates.push_back(std::move(update));
      }
    }
  }
  if (updates.empty()) {
    return {};
  }
  for (Update& update : updates) {
    carry(update.object, update.now);
    update.version = versions_;
  }
  return reports_.update(updates, range);
}

}  // namespace ws::lift

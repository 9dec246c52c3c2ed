// Names of expressions: a value that the kernel assigns to a variable is a statement of the program
// too, tied to the line that assigns it, so that a change of one is a change of the other.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/reserved.h"
#include "runtime/lift/write/writer.h"

namespace ws::lift {
namespace {

/// Whether `name` stands in `text` as a word of its own.
bool mentions(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool starts = at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '.');
    if (starts && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

/// Numbers that one statement of the kernel assigned, in all elements.
bool Writer::is_assigned(const Tile& tile) const {
  const Term& first = terms_.at(tile.points[0].term);
  return first.variable != kNone && is_float(first.type) &&
         std::all_of(tile.points.begin(), tile.points.end(), [&](const Ref& point) {
           const Term& term = terms_.at(point.term);
           return term.variable == first.variable && term.assigned.line == first.assigned.line &&
                  term.assigned.region == first.assigned.region;
         });
}

/// As the kernel has it, unless that means something else in CuIR.
std::string Writer::wanted_name(const Tile& tile) const {
  const std::string& name = terms_.variable(terms_.at(tile.points[0].term).variable);
  return ir::is_reserved(name) ? name + "_now" : name;
}

Result<Text> Writer::named(const Tile& tile) {
  const std::uint64_t key = tile_hash(tile);
  if (const auto known = hoisted_.find(key); known != hoisted_.end()) {
    return known->second;
  }
  open_.push_back(terms_.at(tile.points[0].term).assigned);
  Result<Text> made = built(tile);
  // A number has no line of its own, and what has a name already needs no other.
  if (made && !made->number && !made->name) {
    made = hoisted(key, wanted_name(tile), *std::move(made));
  }
  open_.pop_back();
  return made;
}

/// A value that a variable has since its last assignment: the variable.
std::optional<Text> Writer::held(const Tile& tile) {
  for (const auto& [id, one] : held_) {
    if (one.rows == tile.rows && one.cols == tile.cols && one.key != 0 &&
        one.key == tile_hash(tile)) {
      Text made;
      made.text = one.name;
      made.rows = one.rows;
      made.cols = one.cols;
      made.name = true;
      return made;
    }
  }
  return std::nullopt;
}

/// The kernel's integers where it assigned the tile's elements, as the program has them.
void Writer::note_indices(const Tile& tile) {
  const Terms::Scope* const first = terms_.scope_of(tile.points[0].term);
  if (first == nullptr || !indices_.empty()) {
    return;
  }
  for (std::size_t i = 0; i < first->size(); ++i) {
    std::vector<const Poly*> polys;
    for (const Ref& point : tile.points) {
      const Terms::Scope* const own = terms_.scope_of(point.term);
      if (own != nullptr && i < own->size() && (*own)[i].first == (*first)[i].first) {
        polys.push_back(&(*own)[i].second);
      }
    }
    const Result<Text> text = polys.size() == tile.points.size()
                                  ? integer(tile, polys)
                                  : Result<Text>(fail(ErrorCode::kUnsupported, "not everywhere"));
    if (text) {
      indices_.push_back({(*first)[i].first, text->text});
    }
  }
}

/// An expression gets a name, once; `key` stands for its value.
Text Writer::hoisted(std::uint64_t key, const std::string& name, Text made) {
  const auto known = hoisted_.find(key);
  if (known != hoisted_.end()) {
    return known->second;
  }
  const std::string own = fresh_name(name);
  line(own + " = " + made.text, open_.empty() ? nullptr : &open_.back());
  made.text = own;
  made.zero = false;
  made.factors.clear();
  made.name = true;
  hoisted_[key] = made;
  return made;
}

std::uint64_t Writer::tile_hash(const Tile& tile) {
  std::uint64_t hash =
      static_cast<std::uint64_t>(tile.rows) * 31U + static_cast<std::uint64_t>(tile.cols);
  for (const Ref& point : tile.points) {
    // Read under another condition, it is another value where that one does not hold.
    const std::uint64_t own = terms_.value_hash(point) + 31U * terms_.mask_hash(point);
    hash = (hash ^ own) * 0x100000001b3ULL + (hash >> 29U);
  }
  return hash;
}

Result<std::string> Writer::value(ObjectId id, const std::vector<TermId>& now) {
  WS_TRY(Assignment made, assign(id, now));
  return std::move(made.value);
}

std::string Writer::note(const std::string& wanted, const std::string& value, const Range& range) {
  std::string name = fresh_name(wanted);
  line(name + " = " + value, &range);
  return name;
}

/// All take their new values at once: one by one where no value needs what another one was, else as
/// a tuple.
void Writer::write_assignments(std::vector<Assignment> all) {
  const auto is_free = [&](const Assignment& one) {
    return std::none_of(all.begin(), all.end(), [&](const Assignment& other) {
      return other.target != one.target && mentions(other.value, one.target);
    });
  };
  for (auto next = std::find_if(all.begin(), all.end(), is_free); next != all.end();
       next = std::find_if(all.begin(), all.end(), is_free)) {
    line(next->target + " = " + next->value, &next->range);
    all.erase(next);
  }
  if (all.empty()) {
    return;
  }
  std::string targets;
  std::string values;
  Range range;
  for (const Assignment& one : all) {
    targets += (targets.empty() ? "" : ", ") + one.target;
    values += (values.empty() ? "" : ", ") + one.value;
    widen(range, one.range);
  }
  line(targets + " = " + values, &range);
}

}  // namespace ws::lift

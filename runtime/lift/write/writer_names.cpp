// Names of expressions: a value that the kernel assigns to a variable is a statement of the program
// too, tied to the line that assigns it, so that a change of one is a change of the other.
#include <algorithm>

#include "runtime/ir/syntax/printer.h"
#include "runtime/ir/syntax/reserved.h"
#include "runtime/ir/syntax/tree_queries.h"
#include "runtime/lift/write/writer.h"

namespace ws::lift {
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

Result<TileExpr> Writer::named(const Tile& tile) {
  const std::uint64_t key = tile_hash(tile);
  if (const auto known = hoisted_.find(key); known != hoisted_.end()) {
    return known->second;
  }
  open_.push_back(terms_.at(tile.points[0].term).assigned);
  Result<TileExpr> made = built(tile);
  // A number has no line of its own, and what has a name already needs no other.
  if (made && !made->number && !made->name) {
    made = hoisted(key, wanted_name(tile), *std::move(made));
  }
  open_.pop_back();
  return made;
}

/// A value that a variable has since its last assignment: the variable.
std::optional<TileExpr> Writer::held(const Tile& tile) {
  for (const auto& [id, one] : held_) {
    if (one.rows == tile.rows && one.cols == tile.cols && one.key != 0 &&
        one.key == tile_hash(tile)) {
      TileExpr made;
      made.expr = one.name;
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
    const Result<TileExpr> text =
        polys.size() == tile.points.size()
            ? numbers_.integer(tile, polys)
            : Result<TileExpr>(fail(ErrorCode::kUnsupported, "not everywhere"));
    if (text && ir::TreeBuilder::check(text->expr)) {
      indices_.push_back({(*first)[i].first, ir::print_expr(tree_.program(), text->expr)});
    }
  }
}

/// An expression gets a name, once; `key` stands for its value.
TileExpr Writer::hoisted(std::uint64_t key, const std::string& name, TileExpr made) {
  const auto known = hoisted_.find(key);
  if (known != hoisted_.end()) {
    return known->second;
  }
  const ir::ExprId own = tree_.name(statements_.fresh_name(name));
  statements_.assign(own, made.expr, open_.empty() ? nullptr : &open_.back());
  made.expr = own;
  made.zero = false;
  made.factors.reset();
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

Result<ir::ExprId> Writer::value(ObjectId id, const std::vector<TermId>& now) {
  WS_TRY(const Assignment made, assign(id, now));
  WS_CHECK(ir::TreeBuilder::check(made.value));
  return made.value;
}

std::string Writer::note(const std::string& wanted, ir::ExprId value, const Range& range) {
  std::string name = statements_.fresh_name(wanted);
  statements_.assign(tree_.name(name), value, &range);
  return name;
}

/// All take their new values at once: one by one where no value needs what another one was, else as
/// a tuple.
void Writer::write_assignments(std::vector<Assignment> all) {
  const auto is_free = [&](const Assignment& one) {
    return std::none_of(all.begin(), all.end(), [&](const Assignment& other) {
      return other.target != one.target && ir::mentions(tree_.program(), other.value, one.target);
    });
  };
  for (auto next = std::find_if(all.begin(), all.end(), is_free); next != all.end();
       next = std::find_if(all.begin(), all.end(), is_free)) {
    statements_.assign(next->target, next->value, &next->range);
    all.erase(next);
  }
  if (all.empty()) {
    return;
  }
  std::vector<ir::ExprId> targets;
  std::vector<ir::ExprId> values;
  Range range;
  for (const Assignment& one : all) {
    targets.push_back(one.target);
    values.push_back(one.value);
    widen(range, one.range);
  }
  statements_.assign(tree_.tuple(std::move(targets)), tree_.tuple(std::move(values)), &range);
}

}  // namespace ws::lift

#include "runtime/lift/write/named_values.h"

#include <algorithm>

#include "runtime/ir/syntax/printer.h"
#include "runtime/ir/syntax/reserved.h"

namespace ws::lift {
std::uint64_t NamedValues::tile_hash(const Tile& tile) {
  std::uint64_t hash =
      static_cast<std::uint64_t>(tile.rows) * 31U + static_cast<std::uint64_t>(tile.cols);
  for (const Ref& point : tile.points) {
    // Read under another condition, it is another value where that one does not hold.
    const std::uint64_t own = terms_.value_hash(point) + 31U * terms_.mask_hash(point);
    hash = (hash ^ own) * 0x100000001b3ULL + (hash >> 29U);
  }
  return hash;
}

bool NamedValues::is_assigned(const Tile& tile) const {
  const Term& first = terms_.at(tile.points[0].term);
  return first.variable != kNone && is_float(first.type) &&
         std::all_of(tile.points.begin(), tile.points.end(), [&](const Ref& point) {
           const Term& term = terms_.at(point.term);
           return term.variable == first.variable && term.assigned.line == first.assigned.line &&
                  term.assigned.region == first.assigned.region;
         });
}

std::string NamedValues::wanted_name(const Tile& tile) const {
  const std::string& name = terms_.variable(terms_.at(tile.points[0].term).variable);
  return ir::is_reserved(name) ? name + "_now" : name;
}

std::optional<TileExpr> NamedValues::find(std::uint64_t key) const {
  const auto known = named_.find(key);
  return known == named_.end() ? std::nullopt : std::optional(known->second);
}

TileExpr NamedValues::named(std::uint64_t key, const std::string& name, TileExpr made) {
  const auto known = named_.find(key);
  if (known != named_.end()) {
    return known->second;
  }
  const ir::ExprId own = tree_.name(statements_.fresh_name(name));
  statements_.assign(own, made.expr, open_.empty() ? nullptr : &open_.back());
  made.expr = own;
  made.zero = false;
  made.factors.reset();
  made.name = true;
  named_[key] = made;
  return made;
}

std::optional<TileExpr> NamedValues::held(const Tile& tile) {
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

Range NamedValues::close() {
  const Range range = open_.back();
  open_.pop_back();
  return range;
}

void NamedValues::note_indices(const Tile& tile) {
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

}  // namespace ws::lift

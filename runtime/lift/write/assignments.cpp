#include "runtime/lift/write/assignments.h"

#include <algorithm>

#include "runtime/ir/syntax/tree_queries.h"

namespace ws::lift {
/// The contents of a variable's slots, each at its place.
Result<Tile> Assignments::tile_of(ObjectId id, const std::vector<TermId>& now) {
  const auto found = layouts_.find(id);
  if (found == layouts_.end()) {
    return fail(ErrorCode::kUnsupported,
                "`" + object(id).name + "` changes in a loop in an unknown way");
  }
  const Layout& layout = found->second;
  Tile tile{layout.rows, layout.cols,
            std::vector<Ref>(static_cast<std::size_t>(layout.rows * layout.cols))};
  for (std::size_t slot = 0; slot < layout.places.size() && slot < now.size(); ++slot) {
    for (std::size_t lane = 0; lane < layout.places[slot].size(); ++lane) {
      const std::int64_t place = layout.places[slot][lane];
      if (place < 0) {
        continue;
      }
      Ref& point = tile.points[static_cast<std::size_t>(place)];
      const Ref own{now[slot], static_cast<std::int32_t>(lane)};
      if (point.term != kNone && terms_.value_hash(point) != terms_.value_hash(own)) {
        return fail(ErrorCode::kUnsupported,
                    "`" + object(id).name + "` differs between threads that share a row");
      }
      if (point.term == kNone || !terms_.reads_as_much(point, own)) {
        point = own;
      }
    }
  }
  if (now.empty() || std::any_of(tile.points.begin(), tile.points.end(),
                                 [](const Ref& point) { return point.term == kNone; })) {
    return fail(ErrorCode::kUnsupported, "`" + object(id).name + "` has no value before the loop");
  }
  return tile;
}

Result<Assignment> Assignments::make(ObjectId id, const std::vector<TermId>& now) {
  WS_TRY(const Tile tile, tile_of(id, now));
  const Layout& layout = layouts_.at(id);
  const DType type = terms_.at(now[0]).type;
  const std::uint64_t key = names_.tile_hash(tile);
  names_.open({});
  Result<TileExpr> value = values_.statement(tile);
  const Range written = names_.close();
  const Range range = written.line > 0 ? written : object(id).last;
  WS_TRY(TileExpr made, std::move(value));
  Assignment all{variables_.name_of(id), ir::kNoExpr, range, 0};
  if (!made.number && made.rows == layout.rows && made.cols == layout.cols) {
    all.key = key;
  }
  if (!made.number) {
    all.value = whole(std::move(made), layout.rows, layout.cols).expr;
    return all;
  }
  const ir::ExprId shape = shape_expr(tree_, layout.rows, layout.cols);
  const ir::ExprId type_name = type_expr(tree_, type);
  all.value = made.zero ? tree_.call(ir::Op::kZeros, {shape, type_name})
                        : tree_.call(ir::Op::kFull, {shape, made.expr, type_name});
  return all;
}

void Assignments::write(std::vector<Assignment> all) {
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

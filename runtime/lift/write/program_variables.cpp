#include "runtime/lift/write/program_variables.h"

#include <array>

namespace ws::lift {
void ProgramVariables::know(ObjectId id, const std::string& name) {
  names_[id] = tree_.parsed(name);
  versions_[id] = 0;
  statements_.reserve({name});
}

ir::ExprId ProgramVariables::name_of(ObjectId id) {
  const auto known = names_.find(id);
  if (known != names_.end()) {
    return known->second;
  }
  const Object& named = object(id);
  // A variable of a kernel may be called as an operation is: `sum`, `max`.
  const bool local = named.kind == ObjectKind::kLocal;
  const std::string name = statements_.fresh_name(local ? named.name + "_" : named.name);
  return names_[id] = named.kind == ObjectKind::kShared ? tree_.self(name) : tree_.name(name);
}

Result<TileExpr> ProgramVariables::carried(const Tile& tile) {
  const Term& first = terms_.at(tile.points[0].term);
  const auto found = layouts_.find(first.object);
  const auto version = versions_.find(first.object);
  if (found == layouts_.end() || version == versions_.end() || version->second != first.version) {
    return fail(ErrorCode::kUnsupported,
                "`" + object(first.object).name + "` is used after it was given another value");
  }
  const Layout& layout = found->second;
  std::array<std::vector<std::int64_t>, 2> places;
  for (const Ref& point : tile.points) {
    const auto slot = static_cast<std::size_t>(terms_.at(point.term).slot);
    if (slot >= layout.places.size()) {
      return fail(ErrorCode::kUnsupported, "`" + object(first.object).name + "` has no such place");
    }
    const std::int64_t place = layout.places[slot][static_cast<std::size_t>(point.lane)];
    if (place < 0) {
      return fail(ErrorCode::kUnsupported,
                  "`" + object(first.object).name + "` of a thread that has no part in it");
    }
    places[0].push_back(place / layout.cols);
    places[1].push_back(place % layout.cols);
  }
  const std::optional<Fit> row = Tiles::fit(tile, places[0]);
  const std::optional<Fit> col = Tiles::fit(tile, places[1]);
  const auto is = [](const Fit& fit, std::int64_t by_row, std::int64_t by_col) {
    return fit.by_row == by_row && fit.by_col == by_col && fit.group == 1;
  };
  const std::int64_t down = tile.rows > 1 ? 1 : 0;
  const std::int64_t across = tile.cols > 1 ? 1 : 0;
  const bool upright = row && col && is(*row, down, 0) && is(*col, 0, across);
  const bool turned = row && col && is(*row, 0, across) && is(*col, down, 0);
  if (!upright && !turned) {
    return fail(ErrorCode::kUnsupported, "`" + object(first.object).name +
                                             "` is exchanged between threads in an unknown way");
  }
  const std::int64_t rows = upright ? tile.rows : tile.cols;
  const std::int64_t cols = upright ? tile.cols : tile.rows;
  TileExpr made;
  made.expr = name_of(first.object);
  made.rows = tile.rows;
  made.cols = tile.cols;
  made.name = rows == layout.rows && cols == layout.cols && upright;
  if (rows != layout.rows || cols != layout.cols) {
    const auto part = [&](std::int64_t from, std::int64_t size) {
      return tree_.slice(tree_.integer(from), tree_.integer(from + size));
    };
    made.expr = tree_.index(made.expr, {part(row->first, rows), part(col->first, cols)});
  }
  made.expr = upright ? made.expr : tree_.attribute(made.expr, "T");
  return made;
}

std::optional<ProgramVariables::Size> ProgramVariables::shared_size(ObjectId id) const {
  const auto found = shared_.find(id);
  return found == shared_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ws::lift

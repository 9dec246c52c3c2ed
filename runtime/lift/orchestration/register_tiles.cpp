#include "runtime/lift/orchestration/register_tiles.h"

#include <algorithm>
#include <utility>

namespace ws::lift {
namespace {

/// `name[:, from:from + cols]`
std::string columns_text(const std::string& name, const std::string& part, std::int64_t cols) {
  const std::string from = "(" + part + ") * " + std::to_string(cols);
  return name + "[:, " + from + ":" + from + " + " + std::to_string(cols) + "]";
}

}  // namespace

std::string Fragment::shape() const {
  if (!layout.places.empty()) {
    return "(" + std::to_string(layout.rows) + ", " + std::to_string(layout.cols) + ")";
  }
  return "(" + std::to_string(kProductRows) + ", " +
         std::to_string(cols * std::max<std::int64_t>(parts, 1)) + ")";
}

void RegisterTiles::declare(const std::string& name, std::vector<std::int64_t> dims) {
  dims_[name] = std::move(dims);
}

std::optional<std::int64_t> RegisterTiles::count(const std::string& name) const {
  const auto found = dims_.find(name);
  if (found == dims_.end()) {
    return std::nullopt;
  }
  std::int64_t count = 1;
  for (const std::int64_t size : found->second) {
    count *= size;
  }
  return count;
}

const Fragment* RegisterTiles::find(const std::string& name) const {
  const auto found = tiles_.find(name);
  return found == tiles_.end() ? nullptr : &found->second;
}

void RegisterTiles::set_steps(const std::string& name, std::int64_t count) {
  constexpr std::int64_t kDepthOfStep = 16;
  Fragment& known = tiles_.at(name);
  known.cols = kDepthOfStep * count;
  known.parts = known.parts > 0 ? count : 0;
}

void RegisterTiles::set_layout(const std::string& name, const Layout& layout) {
  tiles_[name] = {0, layout.cols, DType::kF32, layout};
}

std::string RegisterTiles::sums(const std::string& first, std::int64_t cols) {
  MemoryPlace place = place_of(first);
  const auto declared = dims_.find(place.base);
  if (place.base.empty() || place.base.starts_with("self.") || declared == dims_.end()) {
    return {};
  }
  // The last dimensions are one product's, two registers for each four columns of a warp's rows.
  const std::vector<std::int64_t>& dims = declared->second;
  std::size_t outer = dims.size();
  for (std::int64_t size = 1; outer > 0 && size < cols / 2; size *= dims[outer]) {
    --outer;
  }
  std::int64_t own = 1;
  std::string part;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::string index = i < place.indices.size() ? place.indices[i] : "0";
    if (i >= outer) {
      own *= dims[i];
      own = index == "0" ? own : 0;
    } else {
      part = part.empty() ? index : "(" + part + ") * " + std::to_string(dims[i]) + " + " + index;
    }
  }
  if (own != cols / 2) {
    return {};
  }
  Fragment& known = tiles_[place.base];
  known.cols = std::max(known.cols, cols);
  known.type = DType::kF32;
  known.parts = 0;
  for (std::size_t i = 0; i < outer; ++i) {
    known.parts = std::max<std::int64_t>(known.parts, 1) * dims[i];
  }
  return part.empty() ? place.base : columns_text(place.base, part, cols);
}

std::string RegisterTiles::operand(const std::string& step, std::int64_t depth, DType type) {
  const MemoryPlace place = place_of(step);
  if (place.indices.size() != 1) {
    return {};
  }
  Fragment& known = tiles_[place.base];
  known.type = type;
  known.cols = std::max(known.cols, depth);
  return columns_text(place.base, place.indices[0], depth);
}

std::optional<std::int64_t> RegisterTiles::rows(const std::string& name) const {
  const auto found = rows_.find(name);
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Layout> RegisterTiles::rows_layout(std::int64_t count) const {
  for (const auto& [name, fragment] : tiles_) {
    const Layout& tile = fragment.layout;
    Layout made{tile.rows, 1,
                std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(count))};
    bool fits = !tile.places.empty();
    for (std::size_t lane = 0; fits && lane < tile.places.front().size(); ++lane) {
      std::vector<std::int64_t> rows;
      for (const std::vector<std::int64_t>& slot : tile.places) {
        const std::int64_t row = slot[lane] / tile.cols;
        if (std::find(rows.begin(), rows.end(), row) == rows.end()) {
          rows.push_back(row);
        }
      }
      fits = static_cast<std::int64_t>(rows.size()) == count;
      for (std::size_t i = 0; fits && i < rows.size(); ++i) {
        made.places[i].push_back(rows[i]);
      }
    }
    if (fits) {
      return made;
    }
  }
  return std::nullopt;
}

bool RegisterTiles::has_block_tiles() const {
  return std::any_of(tiles_.begin(), tiles_.end(),
                     [](const auto& one) { return !one.second.layout.places.empty(); });
}

std::vector<RegisterTile> RegisterTiles::all(const std::array<std::int64_t, 3>& block) const {
  std::vector<RegisterTile> tiles;
  const bool counts_along_x = block[1] == 1 && block[2] == 1;
  for (const auto& [name, fragment] : tiles_) {
    if (fragment.type != DType::kF32 || !counts_along_x) {
      continue;
    }
    const bool of_block = !fragment.layout.places.empty();
    PartVariable sums;
    sums.kind = PartVariable::Kind::kSums;
    sums.cols = fragment.cols * std::max<std::int64_t>(fragment.parts, 1);
    sums.block = fragment.cols;
    const Layout layout = of_block ? fragment.layout : warpgroup_layout(sums);
    tiles.push_back({name, layout.rows, layout.cols, layout.places});
  }
  return tiles;
}

}  // namespace ws::lift

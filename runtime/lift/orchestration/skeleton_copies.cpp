// Copies of boxes by TMA, and where in shared memory an address lies.
#include <algorithm>

#include "runtime/lift/orchestration/index_text.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

/// The rows of a map's box.
std::int64_t height_of(const MapInput& map) {
  const auto turned = std::find(map.columns.begin(), map.columns.end(), 0);
  const std::size_t row_at =
      map.columns.empty() ? 1 : static_cast<std::size_t>(turned - map.columns.begin());
  return row_at < map.box.size() ? map.box[row_at] : 1;
}

/// The columns of a box that are in its panel: elements beyond the panel's end are beyond the map.
std::int64_t width_of(const MapInput& map) {
  std::int64_t width = map.box[0];
  for (std::size_t i = 1; i < map.columns.size(); ++i) {
    width = map.columns[i] > 0 ? std::min(width, map.columns[i]) : width;
  }
  return width;
}

}  // namespace

/// The checker sees the size of x:x + 64, but not of what has remainders in it: that gets a name.
std::string Skeleton::named_index(const std::string& index) {
  if (index.find('%') == std::string::npos && index.find("//") == std::string::npos) {
    return index;
  }
  const std::string name = draft_.new_name("at_");
  draft_.line(name + " = " + index, ProgramDraft::kUnmarked);
  return name;
}

/// A place in a shared array whose part is to be taken; without indices that have no constant size.
MemoryPlace Skeleton::shared_place(const Instruction& parts, std::size_t at, const Node& node) {
  MemoryPlace place = buffers_.boxed(place_of(texts_.operand(parts, at, node)), symbols_);
  const SharedArray* array = buffers_.find(place.base);
  for (std::size_t i = 0; array != nullptr && i < place.indices.size(); ++i) {
    if (i + 2 >= array->dims.size()) {
      place.indices[i] = named_index(place.indices[i]);
    }
  }
  return place;
}

/// The parts of its tensor that a map's box is, by the copy's coordinates: one, or a panel each,
/// which lie one after another in shared memory. Empty: it has no form.
std::vector<std::string> Skeleton::box_texts(const MapInput& map,
                                             const Instruction::Operand& coordinates,
                                             const Node& node) {
  std::vector<std::string> from;
  for (std::size_t i = 0; i < map.box.size(); ++i) {
    const std::string word = i < coordinates.words.size() ? coordinates.words[i] : "";
    from.push_back(texts_.word(word, node));
    if (from.back().empty()) {
      return {};
    }
  }
  std::string box;
  const auto add = [&](const std::string& first, std::int64_t size, bool slice) {
    const std::string name = named_index(first);
    box = (slice ? name + ":" + name + " + " + std::to_string(size) : name) +
          (box.empty() ? "" : ", ") + box;
  };
  if (map.columns.empty()) {
    for (std::size_t i = 0; i < map.box.size(); ++i) {
      add(from[i], map.box[i], map.box[i] != 1 || i < 2);
    }
    return {box};
  }
  Poly row;
  Poly column;
  std::int64_t rows = 1;
  std::int64_t panels = 1;
  std::int64_t panel_columns = 0;
  for (std::size_t i = 0; i < map.box.size(); ++i) {
    Poly& target = map.columns[i] == 0 ? row : column;
    target = target.plus(index_poly(from[i], symbols_), std::max<std::int64_t>(map.columns[i], 1));
    rows = map.columns[i] == 0 ? map.box[i] : rows;
    if (i > 0 && map.columns[i] != 0 && map.box[i] != 1) {
      if (panels > 1) {
        return {};
      }
      panels = map.box[i];
      panel_columns = map.columns[i];
    }
  }
  std::vector<std::string> boxes;
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    box.clear();
    add(symbols_.text_of(column.plus(Poly(panel * panel_columns))), width_of(map), true);
    add(symbols_.text_of(row), rows, true);
    boxes.push_back(box);
  }
  return boxes;
}

/// `copy_async(self.As[0], self.A[...], ...)`, or the other way. @param box  Of the map's tensor.
std::string Skeleton::copy_text(const Copied& copied, const MemoryPlace& place,
                                const std::string& box, bool stores) const {
  const std::int64_t width = width_of(copied.map);
  const bool whole = place.indices.size() < copied.array.dims.size() && width == copied.map.box[0];
  const std::string tile =
      whole ? place_text(place) : part_text(place, copied.array, copied.rows, width);
  const std::string global = "self." + input_.tensors[copied.map.tensor].name + "[" + box + "]";
  return "copy_async(" + (stores ? global + ", " + tile : tile + ", " + global) + copied.how + ")";
}

/// The copies of a box, each to the next panel. @param boxes  As box_texts() has them.
void Skeleton::copy_boxes(const Copied& copied, const MemoryPlace& first,
                          const std::vector<std::string>& boxes, bool stores, const Range& range) {
  for (std::size_t panel = 0; panel < boxes.size(); ++panel) {
    MemoryPlace there = first;
    if (panel > 0) {
      there.indices[0] = symbols_.text_of(
          index_poly(first.indices[0], symbols_).plus(Poly(static_cast<std::int64_t>(panel))));
    }
    draft_.line(copy_text(copied, there, boxes[panel], stores), range);
  }
}

/// cp.async.bulk.tensor, by the plan's map: a box of the tensor. False: another instruction.
bool Skeleton::tensor_copy(const std::string& instruction, const Node& node) {
  const Instruction parts = take_apart(instruction);
  if (!parts.name.starts_with("cp.async.bulk.tensor")) {
    return false;
  }
  const bool stores = parts.name.find(".global.shared") != std::string::npos;
  const std::size_t map_at = stores ? 0 : 1;
  const std::string map_name = texts_.operand(parts, map_at, node);
  const auto map =
      std::find_if(input_.maps.begin(), input_.maps.end(),
                   [&](const MapInput& candidate) { return "self." + candidate.name == map_name; });
  MemoryPlace place =
      buffers_.boxed(place_of(texts_.operand(parts, stores ? 2 : 0, node)), symbols_);
  const SharedArray* array = buffers_.find(place.base);
  const std::string barrier = stores ? "" : barrier_text(texts_.operand(parts, 3, node));
  const bool known = map != input_.maps.end() && parts.operands.size() > map_at + 1;
  const std::vector<std::string> boxes =
      known ? box_texts(*map, parts.operands[map_at + 1], node) : std::vector<std::string>();
  if (boxes.empty() || array == nullptr || (barrier.empty() && !stores) || multiplicity() > 1 ||
      is_before_roles()) {
    draft_.lost(node.range, parts.name,
                is_before_roles() ? kBeforeRoles
                : !known ? "a copy of a box by a tensor map that is no view by rows and columns"
                : boxes.empty() ? "a copy of a box whose coordinates have no form in CuIR"
                                : "a copy of a box by TMA");
    return true;
  }
  const std::string first = texts_.word(parts.operands[map_at + 1].words.front(), node);
  if (map->box[0] > width_of(*map) && (!stores || first != "0")) {
    draft_.lost(node.range, parts.name, "a copy of a box that passes the end of its panel");
    return true;
  }
  buffers_.use(place.base);
  if (!map->swizzle.empty()) {
    buffers_.set_swizzle(place.base, map->swizzle);
  }
  const std::int64_t rows = height_of(*map);
  buffers_.note_box(place.base, rows, map->box[0]);
  const bool multicast = parts.name.find(".multicast") != std::string::npos;
  const std::string mask = multicast ? texts_.operand(parts, 4, node) : "";
  if (multicast && mask.empty()) {
    draft_.lost(node.range, parts.name, "a copy to blocks of the cluster that depend on data");
    return true;
  }
  const bool begins = place.indices.size() == 3 && place.indices[1] == "0" &&
                      place.indices[2] == "0" && buffers_.has_box(place.base);
  place.indices.resize(begins ? 1 : place.indices.size());
  if (boxes.size() > 1 && !begins) {
    draft_.lost(node.range, parts.name,
                "a copy of several panels that are no tiles of their array");
    return true;
  }
  const Copied copied{
      .map = *map,
      .array = *array,
      .rows = rows,
      .how = stores ? ", instruction=\"tma\""
                    : ", " + barrier + ", \"tma\"" + (multicast ? ", multicast=" + mask : "")};
  copy_boxes(copied, place, boxes, stores, node.range);
  return true;
}

}  // namespace ws::lift

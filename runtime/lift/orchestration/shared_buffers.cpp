#include "runtime/lift/orchestration/shared_buffers.h"

#include <algorithm>
#include <optional>

#include "runtime/lift/orchestration/index_text.h"
#include "runtime/lift/symbolic/scalars.h"

namespace ws::lift {
namespace {

/// Dimensions and element of an array; nothing when its elements are no numbers, or it has no
/// sizes. A class around a single number, as a barrier is, counts as that number.
std::optional<SharedArray> array_of(const Tree& tree, TypeId id, const Range& range) {
  SharedArray made;
  made.range = range;
  while (id != kNone && tree.type(id).kind == TypeKind::kArray) {
    made.dims.push_back(tree.type(id).count);
    id = tree.type(id).element;
  }
  if (id != kNone && tree.type(id).kind == TypeKind::kStruct && tree.type(id).fields.size() == 1) {
    id = tree.type(id).fields[0].type;
  }
  constexpr std::int64_t kWordBytes = 8;
  if (id == kNone || std::count(made.dims.begin(), made.dims.end(), 0) > 0) {
    return std::nullopt;
  }
  const Type& type = tree.type(id);
  made.barrier = type.kind == TypeKind::kInt && type.bytes == kWordBytes;
  made.type = Scalars(tree).dtype_of(id);
  const bool number = type.kind == TypeKind::kFloat || type.kind == TypeKind::kInt;
  return number ? std::optional(made) : std::nullopt;
}

}  // namespace

SharedBuffers::SharedBuffers(const Tree& tree, const LaunchInput& input)
    : tree_(tree),
      input_(input) {
  for (const Variable& variable : tree_.variables) {
    if (variable.space == Space::kShared) {
      if (const auto array = array_of(tree_, variable.type, variable.range)) {
        arrays_.emplace(name_of(variable.name), *array);
      }
    }
  }
  for (const Type& type : tree_.types) {
    for (const Field& field : type.fields) {
      if (const auto array = array_of(tree_, field.type, {})) {
        arrays_.emplace(name_of(field.name), *array);
      }
    }
  }
}

std::string SharedBuffers::name_of(const std::string& declared) const {
  return "self." + array_name(input_, declared);
}

const SharedArray* SharedBuffers::find(const std::string& name) const {
  const auto found = arrays_.find(name);
  return found == arrays_.end() ? nullptr : &found->second;
}

void SharedBuffers::note_box(const std::string& name, std::int64_t rows, std::int64_t cols) {
  const SharedArray* array = find(name);
  if (array == nullptr || array->dims.size() != 1 || shaped_) {
    return;
  }
  const auto [box, fresh] = boxes_.try_emplace(name, Box{rows, cols});
  box->second.cols = !fresh && (box->second.rows != rows || box->second.cols != cols) ? 0 : cols;
}

void SharedBuffers::shape_by_boxes() {
  shaped_ = true;
  for (auto& [name, box] : boxes_) {
    SharedArray& array = arrays_.at(name);
    const std::int64_t size = box.rows * box.cols;
    if (array.dims.size() == 1 && size > 0 && array.dims[0] % size == 0) {
      array.dims = {array.dims[0] / size, box.rows, box.cols};
    } else {
      box.cols = 0;
    }
  }
}

MemoryPlace SharedBuffers::boxed(MemoryPlace place, Symbols& symbols) const {
  const auto box = boxes_.find(place.base);
  if (find(place.base) == nullptr || box == boxes_.end() || box->second.cols == 0) {
    return place;
  }
  Poly address;
  for (const std::string& index : place.indices) {
    address = address.plus(index_poly(index, symbols));
  }
  const auto [tile, within] = split_multiple(address, box->second.rows * box->second.cols);
  const auto [row, column] = split_multiple(within, box->second.cols);
  place.indices = {symbols.text_of(tile), symbols.text_of(row), symbols.text_of(column)};
  return place;
}

std::string SharedBuffers::keep_orders(const std::map<std::string, Logical>& orders) {
  for (const auto& [name, order] : orders) {
    Logical& known = arrays_.at(name).order;
    for (const auto& [place, element] : order) {
      if (known.emplace(place, element).first->second != element) {
        known = {{-1, {-1, -1}}};
        return name;
      }
    }
    used_.insert(name);
  }
  return {};
}

std::vector<std::string> SharedBuffers::allocations() const {
  std::vector<std::string> lines;
  for (const std::string& name : used_) {
    const SharedArray& array = arrays_.at(name);
    if (array.barrier || array.dims.empty()) {
      continue;
    }
    std::string shape;
    for (const std::int64_t dim : array.dims) {
      shape += std::to_string(dim) + ", ";
    }
    const auto swizzle = swizzles_.find(name);
    lines.push_back(name + " = alloc((" + shape + "), \"shared\", \"" +
                    std::string(ws::name_of(array.type)) + "\"" +
                    (swizzle == swizzles_.end() ? "" : ", swizzle=\"" + swizzle->second + "\"") +
                    ")" + mark_of(tree_, array.range));
  }
  return lines;
}

}  // namespace ws::lift

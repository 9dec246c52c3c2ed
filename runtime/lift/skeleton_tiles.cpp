// Copies of boxes and products of tiles, and the arrays in shared memory and registers that they
// work on.
#include <algorithm>

#include "runtime/lift/skeleton.h"

namespace ws::lift {
namespace {

constexpr std::int64_t kDepth = 16;

/// Dimensions and element of an array; nothing when it is none of numbers, or without sizes.
std::optional<SharedArray> array_of(const Tree& tree, TypeId id, const Range& range) {
  SharedArray made;
  made.range = range;
  while (id != kNone && tree.type(id).kind == TypeKind::kArray) {
    made.dims.push_back(tree.type(id).count);
    id = tree.type(id).element;
  }
  constexpr std::int64_t kHalfBytes = 2;
  constexpr std::int64_t kWordBytes = 8;
  if (id == kNone || std::count(made.dims.begin(), made.dims.end(), 0) > 0) {
    return std::nullopt;
  }
  const Type& type = tree.type(id);
  made.barrier = type.kind == TypeKind::kInt && type.bytes == kWordBytes;
  const bool bfloat = type.name.find("bf") != std::string::npos;
  made.type = type.kind != TypeKind::kFloat ? (type.bytes == kHalfBytes ? DType::kU16 : DType::kU32)
              : type.bytes == kHalfBytes    ? (bfloat ? DType::kBf16 : DType::kF16)
                                            : DType::kF32;
  const bool number = type.kind == TypeKind::kFloat || type.kind == TypeKind::kInt;
  return number ? std::optional(made) : std::nullopt;
}

DType operand_type(const std::string& instruction) {
  return instruction.find(".bf16") != std::string::npos ? DType::kBf16 : DType::kF16;
}

}  // namespace

/// Arrays of their own, and the fields of structs that are laid over shared memory.
void Skeleton::note_shared() {
  for (const Variable& variable : tree_.variables) {
    if (variable.space == Space::kShared) {
      if (const auto array = array_of(tree_, variable.type, variable.range)) {
        shared_.emplace("self." + variable.name, *array);
      }
    }
  }
  for (const Type& type : tree_.types) {
    for (const Field& field : type.fields) {
      if (const auto array = array_of(tree_, field.type, {})) {
        shared_.emplace("self." + field.name, *array);
      }
    }
  }
}

const SharedArray* Skeleton::shared_array(const std::string& base) const {
  const auto found = shared_.find(base);
  return found == shared_.end() ? nullptr : &found->second;
}

void Skeleton::allocate_shared() {
  std::vector<std::string> lines;
  if (draft_.joint) {
    std::string size;
    for (const std::int64_t threads : input_.block) {
      size += (size.empty() ? "" : ", ") + std::to_string(threads);
    }
    lines.push_back("self.blockDim = (" + size + ")");
  }
  for (const std::string& name : used_) {
    const SharedArray& array = shared_.at(name);
    if (array.barrier || array.dims.empty()) {
      continue;
    }
    std::string shape;
    for (const std::int64_t dim : array.dims) {
      shape += std::to_string(dim) + ", ";
    }
    const auto swizzle = swizzles_.find(name);
    lines.push_back(name + " = alloc((" + shape + "), \"shared\", \"" +
                    std::string(name_of(array.type)) + "\"" +
                    (swizzle == swizzles_.end() ? "" : ", swizzle=\"" + swizzle->second + "\"") +
                    ")" + mark(array.range));
  }
  draft_.build.insert(draft_.build.begin(), lines.begin(), lines.end());
}

std::string Skeleton::operand_text(const Instruction& parts, std::size_t at,
                                   const Node& node) const {
  if (at >= parts.operands.size() || parts.operands[at].words.empty()) {
    return {};
  }
  const std::string& word = parts.operands[at].words.front();
  const int number = operand_number(word);
  if (number < 0) {
    return word[0] >= '0' && word[0] <= '9' ? word : "";
  }
  return static_cast<std::size_t>(number) < node.kids.size()
             ? text(node.kids[static_cast<std::size_t>(number)])
             : "";
}

/// The checker sees the size of x:x + 64, but not of what has remainders in it: that gets a name.
std::string Skeleton::named_index(const std::string& index) {
  if (index.find('%') == std::string::npos && index.find("//") == std::string::npos) {
    return index;
  }
  const std::string name = "at_" + std::to_string(++draft_.indices);
  line(name + " = " + index, {});
  return name;
}

/// A place in a shared array whose part is to be taken; without indices that have no constant size.
MemoryPlace Skeleton::shared_place(const Instruction& parts, std::size_t at, const Node& node) {
  MemoryPlace place = place_of(operand_text(parts, at, node));
  const SharedArray* array = shared_array(place.base);
  for (std::size_t i = 0; array != nullptr && i < place.indices.size(); ++i) {
    if (i + 2 >= array->dims.size()) {
      place.indices[i] = named_index(place.indices[i]);
    }
  }
  return place;
}

/// cp.async.bulk.tensor, by the plan's map: a box of the tensor. False: another instruction.
bool Skeleton::tensor_copy(const std::string& instruction, const Node& node) {
  const Instruction parts = take_apart(instruction);
  if (!parts.name.starts_with("cp.async.bulk.tensor")) {
    return false;
  }
  const bool stores = parts.name.find(".global.shared") != std::string::npos;
  const std::size_t map_at = stores ? 0 : 1;
  const std::string map_name = operand_text(parts, map_at, node);
  const auto map =
      std::find_if(input_.maps.begin(), input_.maps.end(),
                   [&](const MapInput& candidate) { return "self." + candidate.name == map_name; });
  MemoryPlace place = place_of(operand_text(parts, stores ? 2 : 0, node));
  const SharedArray* array = shared_array(place.base);
  const std::string barrier = stores ? "" : operand_text(parts, 3, node);
  const std::size_t rank = map == input_.maps.end() ? 0 : map->box.size();
  std::string box;
  for (std::size_t i = 0; i < rank && parts.operands.size() > map_at + 1; ++i) {
    const std::vector<std::string>& words = parts.operands[map_at + 1].words;
    const int at = i < words.size() ? operand_number(words[i]) : -1;
    const std::string from =
        named_index(at < 0 ? "" : text(node.kids[static_cast<std::size_t>(at) % node.kids.size()]));
    if (from.empty()) {
      box.clear();
      break;
    }
    const std::int64_t size = map->box[i];
    const std::string slice =
        size == 1 && i > 1 ? from : from + ":" + from + " + " + std::to_string(size);
    box = slice + (i == 0 ? "" : ", ") + box;
  }
  if (box.empty() || array == nullptr || (barrier.empty() && !stores) || multiplicity() > 1) {
    lost(node.range, parts.name, "a copy of a box by TMA");
    return true;
  }
  used_.insert(place.base);
  if (!map->swizzle.empty()) {
    swizzles_[place.base] = map->swizzle;
  }
  const std::string tile = place.indices.size() < array->dims.size()
                               ? place_text(place)
                               : part_text(place, *array, rank > 1 ? map->box[1] : 1, map->box[0]);
  const std::string global = "self." + input_.tensors[map->tensor].name + "[" + box + "]";
  line(stores ? "copy_async(" + global + ", " + tile + ", instruction=\"tma\")"
              : "copy_async(" + tile + ", " + global + ", " + barrier + ", \"tma\")",
       node.range);
  return true;
}

/// Notes that an array of registers is a tile, and gives the tile's text; empty: it is no array.
std::string Skeleton::fragment_of(const std::string& name, std::int64_t cols, DType type) {
  const MemoryPlace place = place_of(name);
  if (place.base.empty() || place.base.starts_with("self.")) {
    return {};
  }
  Fragment& known = fragments_[place.base];
  const bool parts = !place.indices.empty();
  known.parts = parts ? std::max<std::int64_t>(known.parts, 1) : known.parts;
  known.cols = std::max(known.cols, cols);
  known.type = type;
  if (!parts) {
    return place.base;
  }
  const std::string from = "(" + place.indices[0] + ") * " + std::to_string(cols);
  return place.base + "[:, " + from + ":" + from + " + " + std::to_string(cols) + "]";
}

/// The left operand: 64 rows in shared memory, or registers.
std::string Skeleton::left_operand(const Instruction& parts, std::size_t at, const Node& node,
                                   std::int64_t depth) {
  const std::string& word = parts.operands[at].words.front();
  if (parts.operands[at].words.size() == 1) {
    const MemoryPlace place = shared_place(parts, at, node);
    const SharedArray* array = shared_array(place.base);
    if (array != nullptr) {
      used_.insert(place.base);
    }
    return array == nullptr ? "" : part_text(place, *array, kProductRows, depth);
  }
  const int number = operand_number(word);
  if (number < 0 || static_cast<std::size_t>(number) >= node.kids.size()) {
    return {};
  }
  const Node& element = tree_.node(node.kids[static_cast<std::size_t>(number)]);
  const std::string registers = element.kind == NodeKind::kIndex ? text(element.kids[0]) : "";
  const MemoryPlace place = place_of(registers);
  if (place.indices.size() != 1) {
    return {};
  }
  Fragment& known = fragments_[place.base];
  known.type = operand_type(parts.name);
  known.cols = std::max(known.cols, depth);
  const std::string from = "(" + place.indices[0] + ") * " + std::to_string(depth);
  return place.base + "[:, " + from + ":" + from + " + " + std::to_string(depth) + "]";
}

/// wgmma.mma_async: 64 rows by n columns, 16 deep. False: another instruction.
bool Skeleton::product(const std::string& instruction, const Node& node) {
  const Instruction parts = take_apart(instruction);
  if (!parts.name.starts_with("wgmma.mma_async")) {
    return false;
  }
  const std::int64_t cols = shape_number(parts.name, 'n');
  const std::int64_t depth = shape_number(parts.name, 'k');
  const auto operand = [&](std::size_t i) { return i < parts.operands.size(); };
  const int first = operand(0) ? operand_number(parts.operands[0].words.front()) : -1;
  std::string sum;
  std::string left;
  if (first >= 0 && operand(2) && depth == kDepth) {
    const Node& element = tree_.node(node.kids[static_cast<std::size_t>(first) % node.kids.size()]);
    sum = element.kind == NodeKind::kIndex ? fragment_of(text(element.kids[0]), cols, DType::kF32)
                                           : "";
    left = left_operand(parts, 1, node, depth);
  }
  const MemoryPlace place = shared_place(parts, 2, node);
  const SharedArray* array = shared_array(place.base);
  const bool adds = operand(3) && (parts.operands[3].words.front() == "1" || scale_ == "1");
  if (sum.empty() || left.empty() || array == nullptr || array->dims.size() < 2 || !adds) {
    lost(node.range, parts.name,
         adds ? "a product of operands that are no parts of arrays"
              : "a product that does not add to what its sums held");
    return true;
  }
  used_.insert(place.base);
  // The last immediate says whether the right operand lies in rows of n.
  const bool registers = parts.operands[1].words.size() > 1;
  const std::size_t immediates = registers ? 7 : 8;
  const bool rows_of_n = operand(immediates - 1) && parts.operands.back().words.front() == "1" &&
                         parts.operands.size() == immediates;
  const std::int64_t width = array->dims.back();
  if (!rows_of_n) {
    line("gemm_async(" + left + ", " + part_text(place, *array, cols, depth) + ".T, acc=" + sum +
             ")",
         node.range);
    return true;
  }
  // Columns beyond the array's last dimension lie in its next panels.
  const std::int64_t panels = std::max<std::int64_t>(cols / width, 1);
  for (std::int64_t i = 0; i < panels; ++i) {
    MemoryPlace panel = place;
    panel.indices.resize(array->dims.size(), "0");
    if (i > 0) {
      std::string& index = panel.indices[array->dims.size() - 3];
      index = index == "0" ? std::to_string(i) : "(" + index + ") + " + std::to_string(i);
    }
    const std::string part = panels == 1 ? sum
                                         : sum + "[:, " + std::to_string(i * width) + ":" +
                                               std::to_string((i + 1) * width) + "]";
    line("gemm_async(" + left + ", " + part_text(panel, *array, depth, std::min(cols, width)) +
             ", acc=" + part + ")",
         node.range);
  }
  return true;
}

}  // namespace ws::lift

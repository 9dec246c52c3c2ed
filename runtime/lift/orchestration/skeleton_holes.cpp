// Registers of a skeleton, and what it leaves to be filled.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

std::string number_text(double number) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  const std::string text(buffer.data(), end);
  const bool whole = std::isfinite(number) && text.find_first_of(".e") == std::string::npos;
  return text + (whole ? ".0" : "");
}

/// The number that every element of an initial value is, as text; empty: there is no such number.
std::string number_of(const Tree& tree, NodeId id) {
  const Node& node = tree.node(id);
  if (node.kind == NodeKind::kFloat) {
    return std::isnan(node.number) ? "" : number_text(node.number);
  }
  if (node.kind == NodeKind::kCast && !node.kids.empty()) {
    return number_of(tree, node.kids[0]);
  }
  if (node.kind != NodeKind::kList || node.value == 1) {
    return {};
  }
  std::string all = node.kids.empty() ? "0.0" : number_of(tree, node.kids[0]);
  for (const NodeId kid : node.kids) {
    all = number_of(tree, kid) == all ? all : "";
  }
  return all;
}

}  // namespace

/// The shape of an array of one number for each of a thread's rows; empty: it is no such array.
std::string Skeleton::rows_of(const std::string& name, std::int64_t count) {
  const bool warpgroup = count == 2 && draft_.role().kind == WorkerKind::kWarpgroup;
  const std::optional<Layout> layout =
      count > 1 && by_block() ? tiles_.rows_layout(count) : std::nullopt;
  if (!warpgroup && !layout) {
    return {};
  }
  tiles_.set_rows(name, count);
  return "(" + std::to_string(warpgroup ? 64 : layout->rows) + ", 1)";
}

/// `float acc[64] = {}`: a tile, where a product uses it, or else a number.
bool Skeleton::declare_registers(const Node& node) {
  if (node.kind != NodeKind::kDeclare || tree_.variable(node.index).reference) {
    return false;
  }
  const std::string name = texts_.variable(node.index);
  const std::string first = node.kids.empty() ? "" : number_of(tree_, node.kids[0]);
  if (first.empty()) {
    draft_.set_unknown(name);
  }
  draft_.take(name);
  const TypeId id = tree_.variable(node.index).type;
  std::vector<std::int64_t> dims;
  for (TypeId at = id; at != kNone && tree_.type(at).kind == TypeKind::kArray;
       at = tree_.type(at).element) {
    dims.push_back(tree_.type(at).count);
  }
  tiles_.declare(name, std::move(dims));
  const Type* type = id == kNone ? nullptr : &tree_.type(id);
  const std::int64_t count = type != nullptr && type->kind == TypeKind::kArray ? type->count : 1;
  if (node.kids.empty() && facts_.is_output(node.index) && type != nullptr &&
      type->kind == TypeKind::kInt) {
    draft_.set_integer(name);
    draft_.line(name + " = 0", node.range);  // Until a call gives it a value.
    return true;
  }
  if (!tiles_.contains(name)) {
    const std::string rows = rows_of(name, count);
    if (!first.empty()) {
      close_hole();
      draft_.line(
          name + " = " + (rows.empty() ? first : "full(" + rows + ", " + first + ", \"f32\")"),
          node.range);
    }
    return !first.empty() || node.kids.empty();
  }
  if (tiles_.find(name)->type != DType::kF32) {
    tiles_.set_steps(name, count);
  }
  const Fragment& made = *tiles_.find(name);
  close_hole();
  draft_.line(name + " = alloc(" + made.shape() + ", \"register\", \"" +
                  std::string(name_of(made.type)) + "\")",
              node.range);
  if (!first.empty()) {
    draft_.line(name + "[:] = " + first, node.range);
  }
  return true;
}

/// `memset(acc, 0, sizeof(acc))` of registers that are a tile.
bool Skeleton::clear_registers(const Node& node) {
  if (node.kind != NodeKind::kCall || node.text != "memset" || node.kids.size() != 3) {
    return false;
  }
  const MemoryPlace place = place_of(texts_.of(node.kids[0]));
  constexpr std::int64_t kFloatBytes = 4;
  const std::int64_t bytes = kFloatBytes * tiles_.count(place.base).value_or(0);
  if (!tiles_.contains(place.base) || !place.indices.empty() || texts_.of(node.kids[1]) != "0" ||
      texts_.of(node.kids[2]) != std::to_string(bytes)) {
    return false;
  }
  close_hole();
  draft_.set_known(place.base);
  draft_.line(place.base + "[:] = 0.0", node.range);
  return true;
}

void Skeleton::open_hole(NodeId id) {
  const Node& node = tree_.node(id);
  if (!hole_open_) {
    Hole hole;
    hole.id = "hole_" + std::to_string(draft_.holes().size() + 1);
    hole.range = node.range;
    draft_.holes().push_back(std::move(hole));
    hole_open_ = true;
    holes_.open();
  }
  texts_.forget_moves(id);
  Hole& hole = draft_.holes().back();
  holes_.add(id, hole);
  hole.range.end_line = std::max(hole.range.end_line, node.range.end_line);
}

void Skeleton::close_hole() {
  if (!hole_open_) {
    return;
  }
  hole_open_ = false;
  const Hole hole = draft_.holes().back();
  draft_.holes().back().why = compute(hole, Cooperation::kNothing);
  if (draft_.holes().back().why.empty()) {
    draft_.holes().pop_back();
    return;
  }
  holes_.close();
  const HoleStatements::Call call = holes_.call(hole);
  for (const std::string& output : call.given) {
    draft_.set_known(output);
  }
  draft_.line(call.text, hole.range);
  for (const std::string& write : call.writes) {
    draft_.line(write, hole.range);
  }
  draft_.add_stand_in(hole);
}

}  // namespace ws::lift

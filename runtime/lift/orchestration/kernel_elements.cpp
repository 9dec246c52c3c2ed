// Elements of memory that a kernel reads integers from.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/kernel_texts.h"
#include "runtime/lift/symbolic/meanings.h"
#include "runtime/lift/symbolic/scalars.h"

namespace ws::lift {
std::string KernelTexts::field(const std::string& name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? "" : found->second;
}

const TensorInput* KernelTexts::tensor(const std::string& base) const {
  const auto found = std::ranges::find(input_.tensors, base,
                                       [](const TensorInput& one) { return "self." + one.name; });
  return found == input_.tensors.end() ? nullptr : &*found;
}

/// Whether a place is in an array whose elements may be mbarriers.
bool KernelTexts::is_barrier(const std::string& place) const {
  const SharedArray* const array = buffers_.find(place_of(place).base);
  return array != nullptr && array->barrier;
}

/// An integer in memory, by the sum of its indices where memory has one dimension; empty: it is
/// read as another type than that of the memory. Mbarriers stay as they are.
std::string KernelTexts::element(const Node& node, const std::string& text) const {
  if (text.empty() || !facts_.is_integer(node.type) || is_barrier(text)) {
    return text;
  }
  if (!is_lasting(node.kids[0])) {
    return {};  // The pointer was made of what may have changed since.
  }
  MemoryPlace place = place_of(text);
  const SharedArray* const array = buffers_.find(place.base);
  const TensorInput* const global = tensor(place.base);
  if (array == nullptr && global == nullptr) {
    return text;
  }
  const std::size_t rank = global != nullptr ? global->shape.size() : array->dims.size();
  if (Scalars(tree_).dtype_of(node.type) != (global != nullptr ? global->type : array->type)) {
    return {};
  }
  if (rank == 1 || global != nullptr) {
    std::string sum;
    std::erase(place.indices, "0");
    for (const std::string& index : place.indices) {
      sum += (sum.empty() ? "" : " + ") + (place.indices.size() == 1 ? index : "(" + index + ")");
    }
    place.indices = {sum.empty() ? "0" : sum};
  }
  if (global != nullptr && rank == 2) {
    const std::string columns = symbols_.text_of(global->shape[1]);
    const std::string index = place.indices[0];
    place.indices = {"(" + index + ") // (" + columns + ")", "(" + index + ") % (" + columns + ")"};
  }
  return place.indices.size() == rank ? place_text(place) : "";
}

/// Whether a pointer or a reference that was declared points to where it did, whatever has changed
/// since.
bool KernelTexts::is_lasting(NodeId id) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kVariable && pointers_.contains(node.index)) {
    const MemoryPlace place = place_of(pointers_.at(node.index));
    return std::ranges::all_of(place.indices, [](const std::string& index) {
      return std::ranges::all_of(index, is_digit);
    });
  }
  if (node.kind == NodeKind::kVariable) {
    const NodeId value = facts_.initial(node.index);
    const bool alias = facts_.is_pointer(node.index) || tree_.variable(node.index).reference;
    return !alias || value == kNone || value >= id || is_unchanged(value);
  }
  const bool through = node.kind == NodeKind::kBinary || node.kind == NodeKind::kCast ||
                       node.kind == NodeKind::kAddress;
  return !through || std::ranges::all_of(node.kids, [&](NodeId kid) { return is_lasting(kid); });
}

bool KernelTexts::is_unchanged(NodeId id) const {
  std::vector<NodeId> open = {id};
  std::set<VariableId> seen;
  while (!open.empty()) {
    const Node& node = tree_.node(open.back());
    const bool variable = node.kind == NodeKind::kVariable;
    if (facts_.from_memory().reads(open.back()) || (variable && values_.changes(node.index))) {
      return false;
    }
    open.pop_back();
    const bool address = node.kind == NodeKind::kAddress;  // It reads no element, only indices.
    const std::vector<NodeId>& kids = address ? tree_.node(node.kids[0]).kids : node.kids;
    open.insert(open.end(), kids.begin(), kids.end());
    if (variable && seen.insert(node.index).second && argument(node.index) != kNone) {
      open.push_back(argument(node.index));
    }
  }
  return true;
}

/// The place that an address is of.
std::string KernelTexts::place(NodeId id) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kDereference) {
    return of(node.kids[0]);
  }
  const std::string base = node.kind == NodeKind::kIndex ? of(node.kids[0]) : "";
  const std::string index = base.empty() ? "" : of(node.kids[1]);
  return node.kind != NodeKind::kIndex ? of(id) : index.empty() ? "" : base + "[" + index + "]";
}

}  // namespace ws::lift

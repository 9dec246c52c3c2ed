// Integers that a kernel reads from memory. Such a number may be anything that its type has: where
// C wraps it, the text does, too.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/kernel_texts.h"
#include "runtime/lift/symbolic/meanings.h"
#include "runtime/lift/symbolic/scalars.h"

namespace ws::lift {
namespace {

constexpr std::int64_t kWordBytes = 8;
constexpr std::int64_t kByteBits = 8;

/// Whether a type has all numbers of another one.
bool has_all(const Type& type, const Type& of) {
  return type.is_signed == of.is_signed ? type.bytes >= of.bytes
                                        : type.is_signed && type.bytes > of.bytes;
}

/// The number that an integer type keeps of a larger one; empty: it has no form.
std::string in_range(const std::string& text, const Type& type) {
  if (text.empty() || type.bytes >= kWordBytes || type.bytes <= 0) {
    return {};
  }
  if (type.name == "bool") {
    return "((" + text + ") != 0)";
  }
  const std::int64_t numbers = std::int64_t{1} << (kByteBits * type.bytes);
  const std::string mask = std::to_string(numbers - 1);
  if (!type.is_signed) {
    return "((" + text + ") & " + mask + ")";
  }
  const std::string half = std::to_string(numbers / 2);
  return "((((" + text + ") + " + half + ") & " + mask + ") - " + half + ")";
}

/// Operators whose result depends on more than the lowest bits of their operands.
bool takes_all_bits(COperator op) {
  switch (op) {
    case COperator::kDivide:
    case COperator::kRemainder:
    case COperator::kShiftRight:
    case COperator::kLess:
    case COperator::kLessEqual:
    case COperator::kGreater:
    case COperator::kGreaterEqual:
    case COperator::kEqual:
    case COperator::kNotEqual:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string KernelTexts::field(const std::string& name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? "" : found->second;
}

bool KernelTexts::is_data(NodeId id) const {
  const Node& node = tree_.node(id);
  if (const auto result = results_.find(id); result != results_.end()) {
    return draft_.is_data(result->second);
  }
  switch (node.kind) {
    case NodeKind::kVariable:
      return draft_.is_data(variable(node.index));
    case NodeKind::kAddress:
      return false;
    case NodeKind::kIndex:
    case NodeKind::kDereference:
      return facts_.is_integer(node.type) && !is_barrier(node, of(node.kids[0]));
    case NodeKind::kCall:
      if (node.index != kNone || meaning_of_function(node.text) == nullptr) {
        return false;
      }
      break;
    default:
      break;
  }
  return std::ranges::any_of(node.kids, [&](NodeId kid) { return is_data(kid); });
}

const TensorInput* KernelTexts::tensor(const std::string& base) const {
  const auto found = std::ranges::find(input_.tensors, base,
                                       [](const TensorInput& one) { return "self." + one.name; });
  return found == input_.tensors.end() ? nullptr : &*found;
}

/// Whether an integer of 8 bytes in shared memory may be an mbarrier. @param place  Where it lies.
bool KernelTexts::is_barrier(const Node& node, const std::string& place) const {
  return tree_.type(node.type).bytes == kWordBytes && tensor(place_of(place).base) == nullptr;
}

/// An integer in memory, by the sum of its indices where memory has one dimension; empty: it is
/// read as another type than that of the memory. Mbarriers stay as they are.
std::string KernelTexts::element(const Node& node, const std::string& text) const {
  if (text.empty() || !facts_.is_integer(node.type) || is_barrier(node, text)) {
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

/// Whether nothing in an expression changes while the kernel runs.
bool KernelTexts::is_unchanged(NodeId id) const {
  const Node& node = tree_.node(id);
  return (node.kind != NodeKind::kVariable || !values_.changes(node.index)) &&
         std::ranges::all_of(node.kids, [&](NodeId kid) { return is_unchanged(kid); });
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

std::string KernelTexts::value(NodeId id) const {
  const Node& node = tree_.node(id);
  const bool direct = node.kind == NodeKind::kIndex || node.kind == NodeKind::kVariable;
  const bool wraps = facts_.is_integer(node.type) && !tree_.type(node.type).is_signed && !direct;
  return wraps && is_data(id) ? in_range(of(id), tree_.type(node.type)) : of(id);
}

/// Whether all numbers from memory in an expression are signed.
bool KernelTexts::is_signed(NodeId id) const {
  const Node& node = tree_.node(id);
  const bool reads = node.kind == NodeKind::kVariable || node.kind == NodeKind::kIndex ||
                     node.kind == NodeKind::kDereference || results_.contains(id);
  return !is_data(id) ||
         (reads ? tree_.type(node.type).is_signed
                : std::ranges::all_of(node.kids, [&](NodeId kid) { return is_signed(kid); }));
}

/// A conversion of an integer. One that was not read from memory is taken to stay what it is, and
/// so is a signed one that goes through unsigned arithmetic of its size and back.
std::string KernelTexts::converted(const Node& cast) const {
  const NodeId operand = cast.kids[0];
  std::string text = of(operand);
  const TypeId from = tree_.node(operand).type;
  if (text.empty() || !facts_.is_integer(cast.type) || !facts_.is_integer(from) ||
      !is_data(operand)) {
    return text;
  }
  const Type& made = tree_.type(cast.type);
  const Type& given = tree_.type(from);
  if (made.bytes == given.bytes && made.name != "bool") {
    return !made.is_signed || given.is_signed || is_signed(operand) ? text : in_range(text, made);
  }
  return has_all(made, given) ? value(operand) : in_range(text, made);
}

/// An operand of an operator; an unsigned one is what is left of it in its type, where a number
/// from memory is among the operands and the operator takes all of its bits.
std::string KernelTexts::wrapped(const Node& operation, NodeId operand) const {
  std::string text = of(operand);
  const Node& node = tree_.node(operand);
  if (text.empty() || !facts_.is_integer(node.type) || tree_.type(node.type).is_signed ||
      !takes_all_bits(operation.op) ||
      std::ranges::none_of(operation.kids, [&](NodeId kid) { return is_data(kid); })) {
    return text;
  }
  const bool known = node.kind == NodeKind::kIndex || node.kind == NodeKind::kVariable ||
                     (node.kind == NodeKind::kInt && node.value >= 0);
  return known ? text : in_range(text, tree_.type(node.type));
}

}  // namespace ws::lift

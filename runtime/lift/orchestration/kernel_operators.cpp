// Operators, conversions and calls in the texts of a skeleton.
#include <algorithm>

#include "runtime/lift/orchestration/index_text.h"
#include "runtime/lift/orchestration/kernel_texts.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMostBytes = 4000;  // Names of names may be long.

/// Empty where one of them has no form.
std::string select_text(const std::string& condition, const std::string& yes,
                        const std::string& no) {
  return condition.empty() || yes.empty() || no.empty() || yes.size() + no.size() > kMostBytes
             ? ""
             : "((" + yes + ") if (" + condition + ") else (" + no + "))";
}

}  // namespace

std::string python_operator(COperator op) {
  return op == COperator::kDivide ? "//"
         : op == COperator::kAnd  ? "and"
         : op == COperator::kOr   ? "or"
         : op == COperator::kNot  ? "not "
                                  : std::string(text_of(op));
}

bool KernelTexts::keeps_bits(const Node& cast) const {
  constexpr std::int64_t kMaskBytes = 2;  // A mask of blocks of a cluster is so large.
  constexpr std::int64_t kIndexBytes = 4;
  const TypeId from = tree_.node(cast.kids[0]).type;
  if (!facts_.is_integer(cast.type) || !facts_.is_integer(from)) {
    return true;
  }
  const Type& made = tree_.type(cast.type);
  const COperator op = tree_.node(cast.kids[0]).op;
  const bool counts =
      op == COperator::kMultiply || op == COperator::kAdd || op == COperator::kSubtract;
  const bool mask = made.bytes == kMaskBytes && !made.is_signed && !counts;
  return made.name == "bool" || mask || made.bytes >= std::min(kIndexBytes, tree_.type(from).bytes);
}

/// A conversion; an integer as a truth is whether it is not 0.
std::string KernelTexts::converted(const Node& cast) const {
  std::string text = of(cast.kids[0]);
  const TypeId from = tree_.node(cast.kids[0]).type;
  const bool truth = facts_.is_integer(cast.type) && facts_.is_integer(from) &&
                     tree_.type(cast.type).name == "bool" && tree_.type(from).name != "bool";
  return truth && !text.empty() ? "(" + text + ") != 0" : text;
}

std::string KernelTexts::plain(NodeId id) const {
  const Node& node = tree_.node(id);
  switch (node.kind) {
    case NodeKind::kInt:
      return std::to_string(node.value);
    case NodeKind::kBuiltin: {
      const std::optional<Lanes> size =
          node.builtin == Builtin::kBlockDim ? values_.builtin(node) : std::nullopt;
      return size                                  ? std::to_string(size->front())
             : node.builtin == Builtin::kThreadIdx ? ""
                                                   : builtin_text(node);
    }
    case NodeKind::kUnary: {
      const std::string inner = of(node.kids[0]);
      return inner.empty() || is_step(node.op) ? "" : python_operator(node.op) + "(" + inner + ")";
    }
    case NodeKind::kCast:
      return keeps_bits(node) ? converted(node) : "";
    case NodeKind::kAddress:
      return place(node.kids[0]);
    case NodeKind::kDereference:
      return element(node, of(node.kids[0]));
    case NodeKind::kIndex: {
      const std::string base = of(node.kids[0]);
      const std::string index = of(node.kids[1]);
      return base.empty() || index.empty() ? "" : element(node, base + "[" + index + "]");
    }
    case NodeKind::kMember:
      return member(node);
    case NodeKind::kSelect:
      return select_text(of(node.kids[0]), of(node.kids[1]), of(node.kids[2]));
    case NodeKind::kCall:
      return call(id);
    default:
      return {};
  }
}

std::string KernelTexts::binary(const Node& node) const {
  const std::string left = node.op == COperator::kComma ? "" : of(node.kids[0]);
  const std::string right = left.empty() || left.size() > kMostBytes ? "" : of(node.kids[1]);
  if (right.empty() || right.size() > kMostBytes) {
    return {};
  }
  const bool pointer = node.type != kNone && tree_.type(node.type).kind == TypeKind::kPointer;
  if (pointer) {
    return node.op == COperator::kAdd ? left + "[" + right + "]" : "";
  }
  if (facts_.is_address(node.kids[0]) || facts_.is_address(node.kids[1])) {
    return {};  // A number of bytes is no index.
  }
  const MemoryIntegers& from_memory = facts_.from_memory();
  if (is_division(node.op) &&
      (from_memory.is_data(node.kids[0]) || from_memory.is_data(node.kids[1]))) {
    return rounded(node.op, left, right);
  }
  return "(" + left + ") " + python_operator(node.op) + " (" + right + ")";
}

/// A quotient or remainder of integers that may be negative; C rounds towards zero, `//` down.
std::string KernelTexts::rounded(COperator op, const std::string& left,
                                 const std::string& right) const {
  const std::optional<std::int64_t> by = index_poly(right, symbols_).number();
  if (op == COperator::kDivide && by.value_or(0) > 0 &&
      index_poly(left, symbols_).exact_quotient(*by)) {
    return "(" + left + ") // (" + right + ")";
  }
  return (op == COperator::kDivide ? "div_trunc(" : "rem_trunc(") + left + ", " + right + ")";
}

/// A function that makes an address or a descriptor of memory stands for that memory; the smaller
/// and the larger of two integers are choices.
std::string KernelTexts::call(NodeId id) const {
  const Node& node = tree_.node(id);
  const Meaning* meaning = node.index == kNone ? meaning_of_function(node.text) : nullptr;
  const Handling handling = meaning == nullptr ? Handling::kOther : meaning->handling;
  const bool least = handling == Handling::kMinimum;
  const bool integer = node.type != kNone && tree_.type(node.type).kind == TypeKind::kInt;
  if (integer && node.kids.size() == 2 && (least || handling == Handling::kMaximum)) {
    const std::string left = of(node.kids[0]);
    const std::string right = of(node.kids[1]);
    const std::string op = least ? " < " : " > ";
    const bool known = !left.empty() && !right.empty();
    return select_text(known ? "(" + left + ")" + op + "(" + right + ")" : "", left, right);
  }
  if (integer && !facts_.is_address(id)) {
    return {};  // It may read the memory, or change it.
  }
  if (node.index != kNone && !facts_.keeps_place(node.index)) {
    return {};
  }
  for (const NodeId kid : node.kids) {
    const Node& argument = tree_.node(kid);
    const bool pointer =
        argument.type != kNone && (tree_.type(argument.type).kind == TypeKind::kPointer ||
                                   tree_.type(argument.type).kind == TypeKind::kArray);
    if (pointer) {
      return of(kid);
    }
  }
  return {};
}

}  // namespace ws::lift

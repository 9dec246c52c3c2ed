#include "runtime/lift/tree/operators.h"

#include <algorithm>
#include <array>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {
namespace {

struct Row {
  COperator op;
  std::string_view text;
  OperatorForm form;
};

constexpr std::array kRows = {
#define WS_C_OPERATOR(id, text, form) Row{COperator::id, text, OperatorForm::form},
#include "runtime/lift/tree/operators.def"
#undef WS_C_OPERATOR
};

}  // namespace

std::string_view text_of(COperator op) {
  return op == COperator::kNone ? "" : kRows[static_cast<std::size_t>(op)].text;
}

std::optional<COperator> find_operator(std::string_view text, OperatorForm form) {
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) {
    return one.text == text && one.form == form;
  });
  return row == kRows.end() ? std::nullopt : std::optional(row->op);
}

std::string operator_text(const Node& node) {
  return std::string(text_of(node.op)) + (node.kind == NodeKind::kAssign ? "=" : "");
}

std::string builtin_text(const Node& node) {
  constexpr std::array<std::string_view, 4> kNames = {"threadIdx", "blockIdx", "blockDim",
                                                      "gridDim"};
  return std::string(kNames[static_cast<std::size_t>(node.builtin)]) + "." +
         static_cast<char>('x' + node.value);
}

}  // namespace ws::lift

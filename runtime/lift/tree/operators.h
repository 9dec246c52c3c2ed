// C's operators, as operators.def lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ws::lift {

enum class COperator : std::uint8_t {
#define WS_C_OPERATOR(id, text, form) id,
#include "runtime/lift/tree/operators.def"
#undef WS_C_OPERATOR
  kNone,  ///< A plain assignment, and every node that is no operator.
};

enum class OperatorForm : std::uint8_t { kBinary, kPrefix, kPostfix };

/// "+", "++"; empty for kNone.
std::string_view text_of(COperator op);
/// Nothing: C has no such operator, or a tree has another node for it (`*p`, `a = b`).
std::optional<COperator> find_operator(std::string_view text, OperatorForm form);

/// `++` or `--`, on either side.
constexpr bool is_step(COperator op) {
  return op == COperator::kIncrement || op == COperator::kDecrement ||
         op == COperator::kIncrementAfter || op == COperator::kDecrementAfter;
}

constexpr bool is_division(COperator op) {
  return op == COperator::kDivide || op == COperator::kRemainder;
}

/// kAdd for `++`, kSubtract for `--`; other operators as they are.
constexpr COperator step_operator(COperator op) {
  const bool up = op == COperator::kIncrement || op == COperator::kIncrementAfter;
  return !is_step(op) ? op : up ? COperator::kAdd : COperator::kSubtract;
}

}  // namespace ws::lift
